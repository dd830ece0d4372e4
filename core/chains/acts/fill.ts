/** Does nothing but take up a place in the order of a sender's transactions. No operation asks for it. */
export const fill = { kind: 'fill' } as const
