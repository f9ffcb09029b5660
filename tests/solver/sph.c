#include "worlds.h"
int main(void)
{
    return 0;
}
