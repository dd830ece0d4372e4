import { countJobUnits } from '../../../queue/counts.ts'
import type { UnitsReader } from '../../area.ts'
import { countEvents } from '../../events/index.ts'
import { countVersions } from '../certificates/index.ts'

/**
 * Reads how many operations organizations have used: a passport that is created is one, whether it was deleted later or
 * not, and so are the mint of a batch's passport, a claim, and a version of a certificate.
 */
export const readUsedOperations: UnitsReader = async (db, from, to) => {
  const counts = [
    await countEvents(db, { subject: 'dppPassport', type: 'create', from, to }),
    await countJobUnits(db, { type: 'mint', from, to }),
    await countJobUnits(db, { type: 'claim', from, to }),
    await countVersions(db, from, to),
  ]
  return counts.flat().map((one) => ({ ...one, meter: 'dpp.operations' }))
}
