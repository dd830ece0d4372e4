import type { Caller } from '../../../core/kernel/caller.ts'

/** A caller of each kind, for the functions that tell callers apart. All belong to the organization `o`. */
export const keyCaller = {
  kind: 'key',
  application: null,
  id: 'k',
  organization: 'o',
  permissions: {},
} as const satisfies Caller
export const memberCaller = {
  kind: 'member',
  session: 's',
  user: 'u',
  organization: 'o',
  role: 'owner',
} as const satisfies Caller
export const buyerCaller = {
  kind: 'endUser',
  session: 's',
  user: 'u',
  application: 'a',
  organization: 'o',
  email: null,
  phoneNumber: null,
} as const satisfies Caller
