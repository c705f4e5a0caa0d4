/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts how many tasks a CPU has to run, and how long they wait for it. It observes and changes nothing.
 *
 * Everything is counted in sched_switch, which runs with interrupts off and is not entered by NMIs: on each CPU only one
 * program writes, and it is never interrupted by itself. So `+= 1` on a CPU's own copy loses nothing. README.md says what is
 * measured, and what is not.
 */
#include "kernel.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "distribution.h"

/* The kernel lets only programs under this licence read its structures. */
char LICENSE[] SEC("license") = "GPL";

enum { BY_TASK = 1, BY_CGROUP = 2 };

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, DEPTH_SLOTS);
	__type(key, __u32);
	__type(value, __u64);
} queue_hist SEC(".maps");

COUNTS_OF_CPUS(latency_hist);

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

struct key {
	/* The ids of the process and of the task, or the id of the cgroup. */
	__u64 id;
	/* Only of a task. */
	char comm[16];
};

struct queueing {
	struct distribution latency;
	__u64 depths[DEPTH_SLOTS];
};

/* A task runs on one CPU at a time. A cgroup runs on all of them. */
COUNTS_OF_KEYS(struct key, struct queueing);

static __always_inline struct queueing *entry_of_task(struct task_struct *task)
{
	struct key key = {};

	if (options.by == BY_TASK) {
		key.id = (__u64)task->tgid << 32 | (__u32)task->pid;
		bpf_probe_read_kernel(key.comm, sizeof(key.comm), task->comm);
	} else if (options.by == BY_CGROUP) {
		key.id = task->cgroups->dfl_cgrp->kn->id;
	} else {
		return 0;
	}
	return entry_of(&by_key, &key, &nothing);
}

static __always_inline void count_depth(struct queueing *entry, __u32 depth)
{
	__u32 key = depth_slot(depth);
	__u64 slot = key, *count;

	/* Older verifiers know only the bound of the register that is compared. */
	barrier_var(slot);
	if (entry && slot < DEPTH_SLOTS)
		__sync_fetch_and_add(&entry->depths[slot], 1);
	count = bpf_map_lookup_elem(&queue_hist, &key);
	if (count)
		*count += 1;
}

static __always_inline void count_latency(struct queueing *entry, __u64 ns)
{
	__u32 key = 0;

	if (entry)
		count_shared(&entry->latency, ns);
	count_alone(bpf_map_lookup_elem(&latency_hist, &key), ns);
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
	struct queueing *entry = pid ? entry_of_task(next) : 0;

	/*
	 * Both tasks belong to this CPU. The idle task of each CPU has the id 0: then depth is 0, and no task waited. By key
	 * this is left out, because the idle tasks have no entry.
	 */
	if (!options.without_depth && (pid || !options.by))
		count_depth(entry, depth_of_queue(pid ? next : prev));

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
	count_latency(entry, now > *since ? now - *since : 0);
	bpf_map_delete_elem(&waiting_since, &pid);
	return 0;
}
