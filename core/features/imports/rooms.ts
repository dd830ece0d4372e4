/** The rooms of this area in their order: a room imports only from rooms before it. */
export const rooms = [
  'records',
  'transforms',
  'formats',
  'staging',
  'mapping',
  'intake',
  'samples',
  'mappers',
  'engine',
  'reports',
  'suggest',
  'drafts',
  'tables',
] as const
