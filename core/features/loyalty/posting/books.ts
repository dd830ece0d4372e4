import type { Book } from '../../../ledger/index.ts'
import type { PointsTarget } from './chain.ts'

/** The name of the books of points. */
export const pointsBookName = 'points'

/** The book of the points of an application on a network. */
export const describePointsBook = ({
  organization,
  application,
  network,
}: Pick<PointsTarget, 'organization' | 'application' | 'network'>): Omit<Book, 'id'> => ({
  organization,
  name: pointsBookName,
  subject: application,
  network,
  hasLots: true,
})
