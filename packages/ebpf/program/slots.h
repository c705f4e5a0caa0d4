/* SPDX-License-Identifier: GPL-2.0-only */
/* Which slot a value is counted in. Needs `__u32`, `__u64` and `__always_inline`, and nothing of the kernel. */
#pragma once

#define DEPTH_SLOTS 8
#define TIME_SLOTS 496

/* [0] [1] [2-4] [5-8] [9-16] [17-32] [33-64] [65+] */
static __always_inline __u32 depth_slot(__u32 depth)
{
	if (depth <= 1)
		return depth;
	if (depth <= 4)
		return 2;
	if (depth <= 8)
		return 3;
	if (depth <= 16)
		return 4;
	if (depth <= 32)
		return 5;
	return depth <= 64 ? 6 : 7;
}

/* The position of the highest bit. BPF has no instruction for it. */
static __always_inline __u32 log2_floor(__u64 value)
{
	__u32 result = 0;

	for (int shift = 32; shift > 0; shift >>= 1) {
		if (value >> shift) {
			value >>= shift;
			result += shift;
		}
	}
	return result;
}

/* 0 to 15 have a slot each, every octave above has eight: the last one, 495, ends with the largest value. */
static __always_inline __u32 time_slot(__u64 time)
{
	__u32 octave;

	if (time < 16)
		return time;
	octave = log2_floor(time);
	return ((octave - 2) << 3) + ((time >> (octave - 3)) & 7);
}
