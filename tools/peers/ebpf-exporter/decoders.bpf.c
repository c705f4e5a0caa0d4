// A map whose labels need all decoders that hdrscope has. No program counts in it.
#include <vmlinux.h>
#include <bpf/bpf_helpers.h>

struct decoders_key_t {
    u32 device;
    u32 interface;
    u64 symbol;
    u8 ipv4[4];
    u8 ipv6[16];
    char comm[16];
    u32 error;
    u16 named;
    u8 bytes[3];
    u8 padding;
    char domain[16];
    u64 stack[3];
    u64 cgroup;
    u64 bucket;
} __attribute__((packed));

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, 100);
    __type(key, struct decoders_key_t);
    __type(value, u64);
} decoded_bytes SEC(".maps");

char LICENSE[] SEC("license") = "GPL";
