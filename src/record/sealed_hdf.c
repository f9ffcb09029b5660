#include "record/sealed_hdf.h"
#include "base/threads.h"

#include <stdatomic.h>
#include <stdio.h>

static rp_lock inside;

rp_sealed_hdf_quiet rp_sealed_hdf_enter(void)
{
    rp_lock_take(&inside);
    rp_sealed_hdf_quiet before = {0};
    H5Eget_auto2(H5E_DEFAULT, &before.print, &before.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return before;
}

void rp_sealed_hdf_leave(rp_sealed_hdf_quiet before)
{
    H5Eclear2(H5E_DEFAULT);
    H5Eset_auto2(H5E_DEFAULT, before.print, before.data);
    rp_lock_give(&inside);
}

hid_t rp_sealed_hdf_file_type(rp_field_type type)
{
    switch (type) {
    case RP_F32:
        return H5T_IEEE_F32LE;
    case RP_F64:
        return H5T_IEEE_F64LE;
    case RP_U8:
        return H5T_STD_U8LE;
    case RP_U16:
        return H5T_STD_U16LE;
    case RP_U32:
        return H5T_STD_U32LE;
    case RP_U64:
        return H5T_STD_U64LE;
    }
    return H5I_INVALID_HID;
}

hid_t rp_sealed_hdf_memory_type(rp_field_type type)
{
    switch (type) {
    case RP_F32:
        return H5T_NATIVE_FLOAT;
    case RP_F64:
        return H5T_NATIVE_DOUBLE;
    case RP_U8:
        return H5T_NATIVE_UINT8;
    case RP_U16:
        return H5T_NATIVE_UINT16;
    case RP_U32:
        return H5T_NATIVE_UINT32;
    case RP_U64:
        return H5T_NATIVE_UINT64;
    }
    return H5I_INVALID_HID;
}

void rp_sealed_hdf_close(hid_t id)
{
    if (id >= 0) H5Idec_ref(id);
}

typedef struct reason {
    rp_code code;
    char *text;
    size_t size;
} reason;

static herr_t take_reason(unsigned depth, const H5E_error2_t *error, void *context)
{
    reason *taken = context;
    if (depth > 0) return 0;
    snprintf(taken->text, taken->size, "%s", error->desc ? error->desc : "");
    if (error->maj_num == H5E_RESOURCE) taken->code = RP_ERROR_MEMORY;
    return 0;
}

rp_code rp_sealed_hdf_reason(rp_code otherwise, char *text, size_t size)
{
    snprintf(text, size, "no reason given");
    reason taken = {otherwise, text, size};
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_reason, &taken);
    return taken.code;
}

void rp_sealed_hdf_unique_name(char *text, size_t size)
{
    static atomic_uint counter;
    snprintf(text, size, "repose-%u", atomic_fetch_add(&counter, 1));
}
