import { createRandom } from '../../support/values/random.ts'
import { killFlows, killSteps, type KillFlow, type KillPlan, type KillStep } from '../kills/kills.ts'

/** A whole number from `min` to `most`. */
export const drawBetween = (random: () => number, min: number, max: number) =>
  min + Math.floor(random() * (max - min + 1))

/** So many kills at each point of each flow, in an order and at moments that the seed chooses. */
export function createPlans(seed: number, each: number): KillPlan[] {
  const random = createRandom(seed)
  const plans = killFlows.flatMap((flow) =>
    killSteps.flatMap((step) => Array.from({ length: each }, (_, at) => planOf(random, flow, step, at))),
  )
  for (let at = plans.length - 1; at > 0; at--) {
    const other = drawBetween(random, 0, at)
    const [one, two] = [plans[at], plans[other]]
    if (one && two) [plans[at], plans[other]] = [two, one]
  }
  return plans
}

/** Rows that a full transaction has; a batch of more takes several. */
const full = 500

function planOf(random: () => number, flow: KillFlow, step: KillStep, at: number): KillPlan {
  if (flow === 'claim') {
    const units = drawBetween(random, 2, 5)
    // A claim comes by two places between its steps, and by the others once.
    const maxNth: Partial<Record<KillStep, number>> = { 'tx.receipt': 1, 'unit.between': 2 * units }
    return { flow, step, units, nth: drawBetween(random, 1, maxNth[step] ?? units) }
  }
  if (step === 'row-stored') return { flow, step, nth: drawBetween(random, 1, 3), units: drawBetween(random, 1, 80) }
  if (step === 'tx.receipt') return { flow, step, nth: 1, units: drawBetween(random, 1, 2 * full) }
  // Of two full batches and more one leaves, and is settled, after the other.
  if (step === 'unit.between') {
    const units = at % 3 === 2 ? drawBetween(random, 5 * full, 5.2 * full) : drawBetween(random, 2 * full, 3 * full)
    return { flow, step, nth: 1, units }
  }
  const nth = drawBetween(random, 1, 3)
  return { flow, step, nth, units: (nth - 1) * full + drawBetween(random, 1, full / 2) }
}
