
#include <eml_net.h>
static const float mynet_layer_0_biases[8] = { 0.359351f, -0.057735f, 0.054481f, -0.387530f, 0.426026f, -0.628476f, 2.061749f, 0.765481f };
static const float mynet_layer_0_weights[64] = { 0.063302f, 0.000010f, 0.007012f, 0.000009f, -0.049087f, 0.000011f, -0.237339f, -0.127145f, 0.202987f, -0.000015f, 0.033095f, 0.000006f, -0.125830f, 0.000032f, -0.613173f, -0.303797f, -0.041497f, 0.000022f, -0.005438f, 0.000028f, 0.015057f, 0.000023f, 0.070481f, 0.023892f, -0.017694f, -0.000002f, -0.000685f, 0.000035f, 0.003805f, -0.000007f, 0.021435f, 0.053732f, 0.001788f, -0.000006f, 0.000797f, 0.000011f, -0.019908f, 0.000007f, -0.094927f, -0.004921f, 0.081567f, -0.000013f, 0.020847f, -0.000028f, -0.082924f, 0.000013f, -0.402598f, -0.153371f, 0.034154f, -0.000015f, 0.006429f, -0.000001f, -0.050769f, -0.000030f, -0.245254f, -0.119097f, 0.035538f, -0.000017f, 0.003380f, -0.000012f, -0.042939f, -0.000030f, -0.209034f, -0.121861f };
static const float mynet_layer_1_biases[1] = { 1.281974f };
static const float mynet_layer_1_weights[8] = { 0.236821f, -0.000007f, 0.041788f, -0.000040f, -0.174880f, -0.000037f, -0.846108f, -0.405967f };
static float mynet_buf1[8];
static float mynet_buf2[8];
static const EmlNetLayer mynet_layers[2] = { 
{ 8, 8, mynet_layer_0_weights, mynet_layer_0_biases, EmlNetActivationRelu }, 
{ 1, 8, mynet_layer_1_weights, mynet_layer_1_biases, EmlNetActivationLogistic } };
static EmlNet mynet = { 2, mynet_layers, mynet_buf1, mynet_buf2, 8 };

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
    