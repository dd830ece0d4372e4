/** The rooms of this area. A room imports only from rooms before it in the list. */
export const rooms = [
  'amounts',
  'tiers',
  'posting',
  'visits',
  'statements',
  'points',
  'orders',
  'points-of-sale',
  'earning',
  'pos',
  'accounts',
  'assignments',
  'cards',
  'bulk',
] as const
