/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts how many tasks a CPU has to run, and how long they wait for it. It observes and changes nothing.
 *
 * Everything is counted in sched_switch, which runs with interrupts off and is not entered by NMIs: on each CPU only one
 * program writes, and it is never interrupted by itself. So `+= 1` on a CPU's own copy loses nothing, and no slot is
 * ever shared. README.md says what is measured, and what is not.
 */
#include "kernel.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "slots.h"

/* The kernel lets only programs under this licence read its structures. */
char LICENSE[] SEC("license") = "GPL";

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, DEPTH_SLOTS);
	__type(key, __u32);
	__type(value, __u64);
} queue_hist SEC(".maps");

/* All slots in one value, so one system call reads them. */
struct latency {
	__u64 slots[LATENCY_SLOTS];
	__u64 sum;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct latency);
} latency_hist SEC(".maps");

/* Tasks that were switched in without a known start of their wait, such as tasks that waited when counting began. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} latency_missed SEC(".maps");

/*
 * Time since when a task waits, by its id. All memory is there from the start: task-local storage would be allocated
 * here, where the lock of the run queue is held, and needs Linux 5.13. An entry is removed when its task is switched
 * in. An LRU map evicts entries first that are left over.
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, __u32);
	__type(value, __u64);
} waiting_since SEC(".maps");

static __always_inline void count_depth(__u32 depth)
{
	__u32 slot = depth_slot(depth);
	__u64 *count = bpf_map_lookup_elem(&queue_hist, &slot);

	if (count)
		*count += 1;
}

static __always_inline void count_latency(__u64 ns)
{
	__u32 key = 0, slot = latency_slot(ns);
	struct latency *latency = bpf_map_lookup_elem(&latency_hist, &key);

	if (!latency || slot >= LATENCY_SLOTS)
		return;
	latency->slots[slot] += 1;
	latency->sum += ns;
}

static __always_inline void count_missed(void)
{
	__u32 key = 0;
	__u64 *count = bpf_map_lookup_elem(&latency_missed, &key);

	if (count)
		*count += 1;
}

/* Depth of the run queue that a task is in, or was in when it last ran. */
static __always_inline __u32 depth_of_queue(struct task_struct *task)
{
	return task->se.cfs_rq->rq->nr_running;
}

/* `__state` was called `state`, and was wider, before Linux 5.14. */
static __always_inline int is_blocking(struct task_struct *task)
{
	if (bpf_core_field_exists(task->__state))
		return task->__state != 0;
	return ((struct task_struct___5_13 *)task)->state != 0;
}

static __always_inline int is_on_cpu(struct task_struct *task)
{
	return bpf_core_field_exists(task->on_cpu) && task->on_cpu;
}

SEC("tp_btf/sched_wakeup")
int BPF_PROG(hdrscope_wakeup, struct task_struct *task)
{
	__u32 pid = task->pid;
	__u64 now;

	/* The task was woken before it had left its CPU, so it has not begun to wait. */
	if (is_on_cpu(task))
		return 0;
	now = bpf_ktime_get_ns();
	/* A task that was preempted on its way to sleep waits since then, not since it was woken. */
	bpf_map_update_elem(&waiting_since, &pid, &now, BPF_NOEXIST);
	return 0;
}

SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(hdrscope_new, struct task_struct *task)
{
	__u32 pid = task->pid;
	__u64 now = bpf_ktime_get_ns();

	/* Ids are reused: an entry with this id belongs to a task that has ended. */
	bpf_map_update_elem(&waiting_since, &pid, &now, BPF_ANY);
	return 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(hdrscope_switch, bool preempted, struct task_struct *prev, struct task_struct *next)
{
	__u32 prev_pid = prev->pid, pid = next->pid;
	__u64 now = bpf_ktime_get_ns(), *since;

	/* Both tasks belong to this CPU. The idle task of each CPU has the id 0: then depth is 0, and no task waited. */
	if (bpf_core_field_exists(prev->se.cfs_rq) && bpf_core_field_exists(prev->se.cfs_rq->rq))
		count_depth(depth_of_queue(pid ? next : prev));

	/* A preempted task waits for the CPU, whatever it was about to wait for. */
	if (prev_pid && (preempted || !is_blocking(prev)))
		bpf_map_update_elem(&waiting_since, &prev_pid, &now, BPF_ANY);
	else if (prev_pid && !bpf_core_field_exists(prev->on_cpu))
		/* Without the field, a wake-up on the CPU looked like the start of a wait. */
		bpf_map_delete_elem(&waiting_since, &prev_pid);
	if (!pid)
		return 0;

	since = bpf_map_lookup_elem(&waiting_since, &pid);
	if (!since) {
		count_missed();
		return 0;
	}
	/* The clocks of two CPUs may differ by some nanoseconds. */
	count_latency(now > *since ? now - *since : 0);
	bpf_map_delete_elem(&waiting_since, &pid);
	return 0;
}
