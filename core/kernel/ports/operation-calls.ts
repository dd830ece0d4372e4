import type { MemberCaller } from '../caller.ts'

/** The answer of an operation that was called from within. */
export interface CallAnswer {
  method: string
  /** Path and query, percent-encoded. */
  path: string
  status: number
  /** The JSON of the answer, of a problem too; null if it has none. */
  body: unknown
  /** The code of the problem; null for an answer without a code. */
  code: string | null
}

/** The values of a call by their names: those of the path, the query and the body side by side, as tools have them. */
export type CallArguments = Readonly<Record<string, unknown>>

/** For whom a call is made. */
export interface CallOrigin {
  caller: MemberCaller
  /** The id under which the log and the audit trail have the call. */
  requestId: string
  /** The call under this key is made once: the same call later gets the first answer. */
  idempotencyKey?: string
}

/**
 * Calls operations in this process as their callers do: with the same checks of permissions, bodies, parameters and
 * idempotency keys, and the same answers. A caller can do nothing with it that the API would refuse.
 */
export interface OperationCalls {
  /** Returns whether there is an operation of this name, which is that of assistants, as `create_application`. */
  hasOperation(name: string): boolean
  /** Returns whether the caller's permissions suffice for an operation. */
  mayCall(caller: MemberCaller, name: string): boolean
  /** Calls an operation. @throws Error if there is none of this name */
  call(name: string, values: CallArguments, origin: CallOrigin): Promise<CallAnswer>
  /** Reads a resource. @param address path and query, percent-encoded. @throws Error if no operation has the path */
  read(address: string, origin: CallOrigin): Promise<CallAnswer>
}
