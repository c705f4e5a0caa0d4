/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts the round-trip time of TCP connections at each segment that they receive. It observes and changes nothing.
 *
 * Segments of the backlog of a socket are received in the context of a task, with softirqs on. A softirq may interrupt them
 * and receive segments of another socket on the same CPU, so all counts are shared. README.md says what is measured, and
 * what is not.
 */
#include "kernel.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "distribution.h"

/* The kernel lets only programs under this licence read its structures. */
char LICENSE[] SEC("license") = "GPL";

enum { BY_REMOTE = 1 };

#define AF_INET 2

COUNTS_OF_CPUS(rtt_hist);

/* An address of IPv6. One of IPv4 is mapped to ::ffff:0:0/96. */
struct key {
	__u8 address[16];
};

COUNTS_OF_KEYS(struct key, struct distribution);

static __always_inline void read_remote(struct key *key, struct sock *sk)
{
	if (sk->__sk_common.skc_family == AF_INET) {
		__be32 address = sk->__sk_common.skc_daddr;

		key->address[10] = 0xff;
		key->address[11] = 0xff;
		__builtin_memcpy(&key->address[12], &address, sizeof(address));
	} else if (bpf_core_field_exists(sk->__sk_common.skc_v6_daddr)) {
		bpf_probe_read_kernel(key->address, sizeof(key->address), &sk->__sk_common.skc_v6_daddr);
	}
}

SEC("tp_btf/tcp_probe")
int BPF_PROG(hdrscope_probe, struct sock *sk)
{
	/* The kernel keeps eighths of a microsecond. */
	__u32 eighths = BPF_CORE_READ((struct tcp_sock *)sk, srtt_us), zero = 0;
	__u64 us = eighths >> 3;

	if (!eighths) {
		count_missed();
		return 0;
	}
	if (options.by == BY_REMOTE) {
		struct key key = {};

		read_remote(&key, sk);
		count_shared(entry_of(&by_key, &key, &nothing), us);
	}
	count_shared(bpf_map_lookup_elem(&rtt_hist, &zero), us);
	return 0;
}
