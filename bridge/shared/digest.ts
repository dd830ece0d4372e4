import { hash } from 'node:crypto'
import { sortMembers } from '../../tools/json.ts'
import { isRecord } from '../../tools/openapi.ts'

/** Returns the SHA-256 of a text in base64url. */
export const digestText = (text: string) => hash('sha256', text, 'base64url')

/** Returns a digest that is the same for equal JSON values. @throws RangeError if the value is nested too deeply */
export const digestJson = (value: unknown) => digestText(JSON.stringify(sortMembers(value)))

/**
 * Returns a digest that is the same for equal arguments of a call, in any order. Only the order of `sorters` counts,
 * because it decides which rows come first. @throws RangeError if the arguments are nested too deeply
 */
export function digestArguments(args: unknown): string {
  if (!isRecord(args) || !isRecord(args['sorters'])) return digestJson(args)
  return digestJson({ ...args, sorters: Object.entries(args['sorters']) })
}
