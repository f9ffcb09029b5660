#include "repose/base.h"

#include <stdio.h>

int main(void)
{
    printf("repose %s\n", rp_version());
    return 0;
}
