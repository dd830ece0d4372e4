/** The rooms of this area, in order: a room imports only from the rooms before it. */
export const rooms = [
  'formats',
  'keys',
  'rotation',
  'did-web',
  'contexts',
  'model',
  'suites',
  'storage',
  'status-lists',
  'credentials',
  'verify',
] as const
