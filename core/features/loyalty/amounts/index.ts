export { parsePoints } from './amounts.rules.ts'
export { PointsAmount, pointsText } from './amounts.schema.ts'
