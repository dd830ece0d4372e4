import { buildShop } from '../../support/world.ts'
import { CarefulAssistant, type AssistantOptions, type Tally, type ViewName } from './careful-assistant.ts'
import { demoShop } from './demo-shop.ts'
import type { Goal, GoalFigures } from './goal.ts'
import { ownerAndHistory, recalledBatch, rotatedKey } from './owners.ts'
import { mendedPassport, missingPermission } from './ready.ts'
import { lostAnswer, readOnly } from './repeats.ts'
import { changedField, failedImport, foreignNames, unknownTable } from './tables.ts'

/** The twelve goals in the order of their letters. */
export const goals: readonly Goal[] = [
  demoShop,
  mendedPassport,
  unknownTable,
  ownerAndHistory,
  recalledBatch,
  rotatedKey,
  changedField,
  failedImport,
  missingPermission,
  foreignNames,
  lostAnswer,
  readOnly,
]

/** Reaches a goal in an organization of its own. @throws AssertionError if the outcome is another one */
export async function reachGoal(
  goal: Goal,
  view: ViewName,
  options: Pick<AssistantOptions, 'cannotAsk' | 'readsGuide'> = {},
): Promise<GoalFigures> {
  const shop = await buildShop()
  const assistants: CarefulAssistant[] = []
  const connect = async (more: Partial<AssistantOptions> = {}) => {
    const assistant = new CarefulAssistant({ key: shop.key, view, ...options, ...more })
    assistants.push(assistant)
    return assistant.connect()
  }
  try {
    await goal.reach({ shop, view, connect, ...options })
  } finally {
    await Promise.all(assistants.map((assistant) => assistant.close()))
  }
  return { ...addTallies(assistants.map(({ tally }) => tally)), goal, view }
}

function addTallies(tallies: readonly Tally[]): Tally {
  const sum: Tally = { calls: 0, tokens: 0, listTokens: 0, questions: 0 }
  for (const one of tallies) {
    sum.calls += one.calls
    sum.tokens += one.tokens
    sum.listTokens += one.listTokens
    sum.questions += one.questions
  }
  return sum
}

export const formatFigures = ({ goal, view, calls, tokens, listTokens, questions }: GoalFigures): string =>
  `      ${goal.letter} ${view.padEnd(7)} ${String(calls).padStart(2)} calls, ${tokens.toLocaleString('en').padStart(6)} tokens`
  + `, lists ${listTokens.toLocaleString('en').padStart(6)}, ${questions} questions: ${goal.title}`
