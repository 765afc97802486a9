import type { ServerResponse } from 'node:http'

/** Statuses sent on a connection in place of an answer that never began, because the body of its request broke off or did not arrive. */
export const sentInstead = new WeakMap<ServerResponse, number>()
