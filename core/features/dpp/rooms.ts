/** The rooms of this area. A room imports only from rooms before it in the list. */
export const rooms = [
  'fields',
  'sheets',
  'content',
  'passports',
  'gs1',
  'selection',
  'structure',
  'statuses',
  'certificates',
  'tokens',
  'claims',
  'drafts',
  'publishing',
  'bulk',
  'readiness',
  'public',
] as const
