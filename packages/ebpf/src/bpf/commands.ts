/** Numbers of the commands of bpf(2). Source: Linux, `include/uapi/linux/bpf.h`, `enum bpf_cmd`. */
export const COMMANDS = {
  MAP_CREATE: 0,
  MAP_LOOKUP_ELEM: 1,
  MAP_UPDATE_ELEM: 2,
  MAP_DELETE_ELEM: 3,
  MAP_GET_NEXT_KEY: 4,
  PROG_LOAD: 5,
  OBJ_PIN: 6,
  OBJ_GET: 7,
  PROG_TEST_RUN: 10,
  PROG_GET_NEXT_ID: 11,
  MAP_GET_NEXT_ID: 12,
  PROG_GET_FD_BY_ID: 13,
  MAP_GET_FD_BY_ID: 14,
  OBJ_GET_INFO_BY_FD: 15,
  BTF_LOAD: 18,
  BTF_GET_FD_BY_ID: 19,
  MAP_LOOKUP_BATCH: 24,
  ENABLE_STATS: 32,
} as const;

/** A command of bpf(2), without the prefix `BPF_`. */
export type Command = keyof typeof COMMANDS;

/** Numbers of the map types that can hold histograms, or maps with histograms. Source: `enum bpf_map_type`. */
export const MAP_TYPES = {
  hash: 1,
  array: 2,
  percpu_hash: 5,
  percpu_array: 6,
  lru_hash: 9,
  lru_percpu_hash: 10,
  array_of_maps: 12,
  hash_of_maps: 13,
} as const;

/** A map type, as bpftool prints it. */
export type MapType = keyof typeof MAP_TYPES;

/** `BPF_F_RDONLY`: the map is opened for reading only. */
export const READ_ONLY = 8;
