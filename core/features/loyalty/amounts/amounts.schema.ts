import { Type, string } from '../../../kernel/schema.ts'

/**
 * Points in a request: a whole number that JSON holds exactly, or digits. Amounts are below 10^18, so that a balance is
 * a BIGINT. Zero as text passes here and is refused by `parsePoints`.
 */
export const PointsAmount = Type.Union(
  [Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), Type.String({ pattern: '^(0|[1-9][0-9]{0,17})$' })],
  { description: 'Points, above zero: a whole number, or its digits.' },
)

/** Creates the schema of points in an answer, as decimal text. */
export const pointsText = (description: string) =>
  string(description, { pattern: '^(0|-?[1-9][0-9]*)$', examples: ['120'] })
