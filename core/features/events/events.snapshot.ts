/** Members of a passport that only its organization sees; no event shows them, to anybody. */
const hiddenMembers = new Set([
  'reference', 'allowedClaimEmail', 'allowedClaimPhoneNumber', 'structureJob', 'certifyJob',
])

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Shows what an event keeps of a passport. Writers keep its public part only; this holds for whatever was stored
 * otherwise, so that a slip of one writer gives nothing away.
 */
export function presentSnapshot(stored: Record<string, unknown>): Record<string, unknown> {
  if (stored['status'] === 'draft') return { id: stored['id'] }
  const members = Object.entries(stored).filter(([name]) => !hiddenMembers.has(name))
  return Object.fromEntries(members.map(([name, value]) => [name, withoutHidden(name, value)]))
}

function withoutHidden(name: string, value: unknown): unknown {
  const hidden = { mintedTo: 'id', data: 'opt_in_form' }[name]
  if (hidden === undefined || !isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([member]) => member !== hidden))
}
