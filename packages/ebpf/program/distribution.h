/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts of times: of all keys together in a copy for each CPU, and of one key in the entry of a hash.
 *
 * Programs count in the entry first. A reader that reads the copies before the entries then knows: a value that it finds in
 * the copies, and in no entry, has no entry. When the hash is full, new keys have none.
 */
#pragma once
#include "slots.h"

/* The reader sets another size. */
#define MOST_KEYS 1024

struct distribution {
	__u64 slots[TIME_SLOTS];
	__u64 sum;
};

/* The counts of all keys together, in a copy for each CPU. All slots are in one value, so one system call reads them. */
#define COUNTS_OF_CPUS(name) \
	struct { \
		__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); \
		__uint(max_entries, 1); \
		__type(key, __u32); \
		__type(value, struct distribution); \
	} name SEC(".maps")

/* The hash with the entry of each key, and an empty entry for `entry_of`. */
#define COUNTS_OF_KEYS(of_key, of_entry) \
	struct { \
		__uint(type, BPF_MAP_TYPE_HASH); \
		__uint(max_entries, MOST_KEYS); \
		__type(key, of_key); \
		__type(value, of_entry); \
	} by_key SEC(".maps"); \
	struct { \
		__uint(type, BPF_MAP_TYPE_ARRAY); \
		__uint(max_entries, 1); \
		__type(key, __u32); \
		__type(value, of_entry); \
	} nothing SEC(".maps")

/* What the reader chooses before it loads the program. The verifier removes the code of the other choices. */
struct options {
	/* 0 counts all keys together. Each program has its own keys for other numbers. */
	__u32 by;
	/* Whether the depth of run queues is left out. */
	__u32 without_depth;
};
const volatile struct options options = {};

/* Values that were not measured, because their beginning was not seen. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} missed SEC(".maps");

static __always_inline void count_missed(void)
{
	__u32 key = 0;
	__u64 *count = bpf_map_lookup_elem(&missed, &key);

	if (count)
		__sync_fetch_and_add(count, 1);
}

/* Counts where neither another CPU nor an interrupt counts. */
static __always_inline void count_alone(struct distribution *to, __u64 time)
{
	__u64 slot = time_slot(time);

	/* Older verifiers know only the bound of the register that is compared. */
	barrier_var(slot);
	if (!to || slot >= TIME_SLOTS)
		return;
	to->slots[slot] += 1;
	to->sum += time;
}

/* Counts where other CPUs and interrupts count too. */
static __always_inline void count_shared(struct distribution *to, __u64 time)
{
	__u64 slot = time_slot(time);

	/* Older verifiers know only the bound of the register that is compared. */
	barrier_var(slot);
	if (!to || slot >= TIME_SLOTS)
		return;
	__sync_fetch_and_add(&to->slots[slot], 1);
	__sync_fetch_and_add(&to->sum, time);
}

/* The entry of a key, which may be a new one; NULL when the hash is full. */
static __always_inline void *entry_of(void *by_key, const void *key, void *nothing)
{
	__u32 zero = 0;
	void *empty, *entry = bpf_map_lookup_elem(by_key, key);

	if (entry)
		return entry;
	/* An entry is too large for the stack. */
	empty = bpf_map_lookup_elem(nothing, &zero);
	if (!empty)
		return 0;
	bpf_map_update_elem(by_key, key, empty, BPF_NOEXIST);
	return bpf_map_lookup_elem(by_key, key);
}
