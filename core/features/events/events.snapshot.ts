import { isObject } from '../../kernel/json/values.ts'

/** Members of a passport that only its organization may see; no event shows them to anybody. */
const hiddenMembers = new Set([
  'reference',
  'allowedClaimEmail',
  'allowedClaimPhoneNumber',
  'structureJob',
  'certifyJob',
])

/**
 * Returns the part of a stored passport that an event shows. Writers of events store the public part only; this
 * function removes the hidden members again, so that a mistake of one writer reveals nothing.
 */
export function presentSnapshot(stored: Record<string, unknown>): Record<string, unknown> {
  if (stored['status'] === 'draft') return { id: stored['id'] }
  const members = Object.entries(stored).filter(([name]) => !hiddenMembers.has(name))
  return Object.fromEntries(members.map(([name, value]) => [name, removeHiddenMembers(name, value)]))
}

function removeHiddenMembers(name: string, value: unknown): unknown {
  const hidden = { mintedTo: 'id', data: 'opt_in_form' }[name]
  if (hidden === undefined || !isObject(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([member]) => member !== hidden))
}
