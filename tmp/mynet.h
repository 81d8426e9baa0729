
#include <eml_net.h>
static const float mynet_layer_0_biases[4] = { 3.341193f, 2.127152f, -0.341013f, -0.736292f };
static const float mynet_layer_0_weights[52] = { -0.094587f, 0.054268f, 0.000005f, 0.000019f, -0.236952f, 0.136193f, 0.000002f, 0.000030f, -0.233704f, 0.134218f, 0.000012f, 0.000038f, -0.078028f, 0.044678f, -0.000010f, -0.000016f, -0.118822f, 0.068225f, 0.000009f, 0.000007f, 0.044486f, -0.025779f, -0.000000f, 0.000008f, -0.153826f, 0.088301f, -0.000011f, 0.000024f, 0.249223f, -0.143171f, -0.000013f, -0.000032f, -0.219240f, 0.125902f, -0.000011f, 0.000046f, -0.307240f, 0.176439f, 0.000021f, 0.000051f, -0.196201f, 0.112631f, 0.000010f, 0.000023f, -0.365036f, 0.209666f, -0.000002f, 0.000023f, -0.408339f, 0.234506f, 0.000008f, 0.000045f };
static const float mynet_layer_1_biases[1] = { -1.520006f };
static const float mynet_layer_1_weights[4] = { 0.841435f, -0.483776f, -0.000034f, -0.000028f };
static float mynet_buf1[13];
static float mynet_buf2[13];
static const EmlNetLayer mynet_layers[2] = { 
{ 4, 13, mynet_layer_0_weights, mynet_layer_0_biases, EmlNetActivationRelu }, 
{ 1, 4, mynet_layer_1_weights, mynet_layer_1_biases, EmlNetActivationLogistic } };
static EmlNet mynet = { 2, mynet_layers, mynet_buf1, mynet_buf2, 13 };

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
    