import { isDeepStrictEqual } from 'node:util'
import type { ExpectedValues, KeptPointers, Plan } from '../../../prompts/demo/index.ts'

/** The values that steps have kept, by name. They are ids. */
export type KeptValues = Readonly<Record<string, string>>

const placeholderPattern = /\$\{(\w+)\}/g

const listPlaceholders = (value: unknown): string[] =>
  [...JSON.stringify(value).matchAll(placeholderPattern)].map(([, name]) => name ?? '')

/** Checks whether every placeholder of a value has been kept. */
export const knowsValues = (value: unknown, kept: KeptValues): boolean =>
  listPlaceholders(value).every((name) => Object.hasOwn(kept, name))

/** Replaces the placeholders of all texts by the kept values, which are ids and need no encoding in an address. */
export function fillPlaceholders<T>(value: T, kept: KeptValues): T {
  const fillText = (text: string) => text.replaceAll(placeholderPattern, (_, name: string) => kept[name] ?? '')
  return JSON.parse(JSON.stringify(value), (_, one: unknown) => (typeof one === 'string' ? fillText(one) : one)) as T
}

/** Returns the value at a JSON pointer, or undefined if there is none. Source: RFC 6901. */
export function getValueAt(value: unknown, pointer: string): unknown {
  const steps = pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  return steps.reduce<unknown>(
    (at, step) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, step)
        ? (at as Record<string, unknown>)[step]
        : undefined,
    value,
  )
}

/** Checks whether an answer has each expected value. */
export const matchesValues = (body: unknown, expected: ExpectedValues, kept: KeptValues): boolean =>
  Object.entries(expected).every(([at, value]) =>
    isDeepStrictEqual(getValueAt(body, at), fillPlaceholders(value, kept)),
  )

/** Lists the names of the values that any step of a plan needs. No other value is kept: a link to claim is a secret. */
export const listNeededValues = (plan: Plan): ReadonlySet<string> => new Set(listPlaceholders(plan))

/** Reads the values to keep from an answer, those that are needed and there. */
export function readKeptValues(
  body: unknown,
  pointers: KeptPointers | undefined,
  needed: ReadonlySet<string>,
): KeptValues {
  const found = Object.entries(pointers ?? {}).flatMap(([name, at]) => {
    const value = getValueAt(body, at)
    return needed.has(name) && typeof value === 'string' ? [[name, value] as const] : []
  })
  return Object.fromEntries(found)
}

/** The members of an answer that are shown: of one thing, and of the first row of a list, which may be a person. */
const shownMembers = ['name', 'reference', 'status', 'total', 'amount', 'minted', 'jobId', 'id']
const shownRowMembers = ['reference', 'status', 'id']
const maxShownLength = 200

/** Formats an answer in a few words: of a problem its detail, else the members by which people know things. Neither secrets nor persons are among them. */
export function formatShortAnswer(status: number, body: unknown): string {
  if (status >= 400) return truncate(String(getValueAt(body, '/detail') ?? ''))
  const texts = [...formatMembers(body, shownMembers), ...formatMembers(getValueAt(body, '/data/0'), shownRowMembers)]
  return truncate(texts.slice(0, 4).join(', '))
}

const formatMembers = (value: unknown, names: readonly string[]): string[] =>
  names.flatMap((name) => {
    const member = getValueAt(value, `/${name}`)
    return typeof member === 'string' || typeof member === 'number' ? [`${name}: ${member}`] : []
  })

const truncate = (text: string) => (text.length > maxShownLength ? `${text.slice(0, maxShownLength - 1)}…` : text)
