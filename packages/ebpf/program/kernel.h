/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The few parts of the kernel's types that the programs read, by name: libbpf finds where they are in the running kernel
 * when it loads a program. This stands in for a generated vmlinux.h, which has a hundred thousand lines of one kernel.
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
enum { BPF_MAP_TYPE_HASH = 1, BPF_MAP_TYPE_ARRAY = 2, BPF_MAP_TYPE_PERCPU_ARRAY = 6, BPF_MAP_TYPE_LRU_HASH = 9 };
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

struct kernfs_node {
	__u64 id;
};

struct cgroup {
	struct kernfs_node *kn;
};

struct css_set {
	struct cgroup *dfl_cgrp;
};

struct task_struct {
	int pid;
	int tgid;
	char comm[16];
	int on_cpu;
	unsigned int __state;
	struct sched_entity se;
	struct css_set *cgroups;
};

/* What follows three underscores is not part of the name. */
struct task_struct___5_13 {
	long state;
};

struct gendisk {
	int major;
	int first_minor;
};

struct request_queue {
	struct gendisk *disk;
};

struct request {
	struct request_queue *q;
	unsigned int cmd_flags;
	unsigned int __data_len;
};

struct request___5_16 {
	struct gendisk *rq_disk;
};

struct in6_addr {
	union {
		__u8 u6_addr8[16];
	} in6_u;
};

struct sock_common {
	unsigned short skc_family;
	__be32 skc_daddr;
	struct in6_addr skc_v6_daddr;
};

struct sock {
	struct sock_common __sk_common;
};

struct tcp_sock {
	__u32 srtt_us;
};

#pragma clang attribute pop
