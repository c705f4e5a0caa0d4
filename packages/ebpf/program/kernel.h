/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The few parts of the kernel's types that the program reads, by name: libbpf finds where they are in the running kernel
 * when it loads the program. This stands in for a generated vmlinux.h, which has a hundred thousand lines of one kernel.
 */
#pragma once

typedef _Bool bool;
typedef signed char __s8;
typedef unsigned char __u8;
typedef short __s16;
typedef unsigned short __u16;
typedef int __s32;
typedef unsigned int __u32;
typedef long long __s64;
typedef unsigned long long __u64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;

/* From the system call's interface, which never changes. */
enum { BPF_MAP_TYPE_PERCPU_ARRAY = 6, BPF_MAP_TYPE_LRU_HASH = 9 };
enum { BPF_ANY = 0, BPF_NOEXIST = 1 };

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct rq {
	unsigned int nr_running;
};

/* It leads to its run queue only with CONFIG_FAIR_GROUP_SCHED, which all distributions set. */
struct cfs_rq {
	struct rq *rq;
};

struct sched_entity {
	struct cfs_rq *cfs_rq;
};

struct task_struct {
	int pid;
	int on_cpu;
	unsigned int __state;
	struct sched_entity se;
};

/* What follows three underscores is not part of the name. */
struct task_struct___5_13 {
	long state;
};

#pragma clang attribute pop
