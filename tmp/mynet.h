
#include <eml_net.h>
static const float mynet_layer_0_biases[4] = { 0.622950f, 0.192545f, -0.126793f, 0.424633f };
static const float mynet_layer_0_weights[12] = { -0.473730f, 0.827667f, 0.589144f, 0.808504f, 0.797603f, 0.094210f, 0.706117f, 0.661626f, -0.081279f, -0.227465f, 0.575645f, -0.588304f };
static const float mynet_layer_1_biases[1] = { -0.219514f };
static const float mynet_layer_1_weights[4] = { -0.715892f, 0.370523f, 0.350582f, 0.892024f };
static float mynet_buf1[4];
static float mynet_buf2[4];
static const EmlNetLayer mynet_layers[2] = { 
{ 4, 3, mynet_layer_0_weights, mynet_layer_0_biases, EmlNetActivationRelu }, 
{ 1, 4, mynet_layer_1_weights, mynet_layer_1_biases, EmlNetActivationLogistic } };
static EmlNet mynet = { 2, mynet_layers, mynet_buf1, mynet_buf2, 4 };

    int32_t
    mynet_predict(const float *features, int32_t n_features)
    {
        return eml_net_predict(&mynet, features, n_features);
    }
    

    int32_t
    mynet_regress(const float *features, int32_t n_features, float *out, int32_t out_length)
    {
        return eml_net_regress(&mynet, features, n_features, out, out_length);
    }
    

    float
    mynet_regress1(const float *features, int32_t n_features)
    {
        return eml_net_regress1(&mynet, features, n_features);
    }
    