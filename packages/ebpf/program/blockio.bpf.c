/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts how long block devices take for a request, from the moment at which the kernel gives it to the driver until it is
 * complete. It observes and changes nothing.
 *
 * Requests are completed in interrupts, which may interrupt each other, so all counts are shared. README.md says what is
 * measured, and what is not.
 */
#include "kernel.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "distribution.h"

/* The kernel lets only programs under this licence read its structures. */
char LICENSE[] SEC("license") = "GPL";

enum { BY_DEVICE = 1 };

/* All bits of `cmd_flags` that are the operation: REQ_OP_MASK, since Linux 4.10. */
#define OPERATION 0xff

COUNTS_OF_CPUS(latency_hist);

/* Time since when a device has a request, by its address, which no other request has until it is complete. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, __u64);
	__type(value, __u64);
} issued_at SEC(".maps");

struct key {
	__u32 major;
	__u32 minor;
	__u32 operation;
};

COUNTS_OF_KEYS(struct key, struct distribution);

/* A request had its own pointer to the disk before Linux 5.17. Commands to a controller have no disk. */
static __always_inline struct gendisk *disk_of(struct request *request)
{
	struct request___5_16 *older = (void *)request;

	if (bpf_core_field_exists(older->rq_disk))
		return older->rq_disk;
	return request->q->disk;
}

static __always_inline int is_issued(struct request *request)
{
	__u64 address = (__u64)request, now = bpf_ktime_get_ns();

	/* A request that the driver gave back is issued again, and counts from then. */
	bpf_map_update_elem(&issued_at, &address, &now, BPF_ANY);
	return 0;
}

SEC("tp_btf/block_rq_issue")
int BPF_PROG(hdrscope_issue, struct request *request)
{
	return is_issued(request);
}

/* The same tracepoint before Linux 5.11. */
SEC("tp_btf/block_rq_issue")
int BPF_PROG(hdrscope_old, struct request_queue *queue, struct request *request)
{
	return is_issued(request);
}

SEC("tp_btf/block_rq_complete")
int BPF_PROG(hdrscope_done, struct request *request, int error, unsigned int bytes)
{
	__u64 address = (__u64)request, now = bpf_ktime_get_ns(), *issued, ns;
	__u32 zero = 0;

	/* The rest of the request is still to come. */
	if (bytes < request->__data_len)
		return 0;
	issued = bpf_map_lookup_elem(&issued_at, &address);
	if (!issued) {
		count_missed();
		return 0;
	}
	/* The clocks of two CPUs may differ by some nanoseconds. */
	ns = now > *issued ? now - *issued : 0;
	bpf_map_delete_elem(&issued_at, &address);
	if (options.by == BY_DEVICE) {
		struct gendisk *disk = disk_of(request);
		struct key key = { .operation = request->cmd_flags & OPERATION };

		if (disk) {
			key.major = disk->major;
			key.minor = disk->first_minor;
		}
		count_shared(entry_of(&by_key, &key, &nothing), ns);
	}
	count_shared(bpf_map_lookup_elem(&latency_hist, &zero), ns);
	return 0;
}
