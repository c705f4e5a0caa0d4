/** Codes of what Ceph's sockets and dumps refuse, besides those of core. */
export type CephErrorCode = 'ERR_ADMIN_SOCKET';
