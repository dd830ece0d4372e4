import { fold, readApplications, type Application } from './applications.ts'
import type { ToolEntry } from './catalogue.ts'
import { nearest } from './nearest.ts'
import { choiceQuestion, type Ask, type Silence } from './asking.ts'
import type { OwnTool } from './own-tool.ts'
import type { ToolResult } from './results.ts'
import type { validatorCompiler } from './validators.ts'
import { visible } from './visible.ts'

/** The most that a person is given to choose from. */
const mostChoices = 20
const mostNearest = 5

type Match = 'exact' | 'partial' | 'chosen'
type Miss = 'several' | 'declined' | 'cancelled' | 'none'

const candidate = {
  type: 'object',
  properties: { applicationId: { type: 'string', format: 'uuid' }, name: { type: 'string' } },
  required: ['applicationId', 'name'],
}

const entry: ToolEntry = {
  name: 'lookup_application_id',
  title: 'Look up the id of an application',
  description:
    'Finds one of your applications by its name. Where several match, the user is asked which one is meant, or they '
    + 'are listed for you to ask. It never guesses: no applicationId, none found.',
  inputSchema: {
    type: 'object',
    properties: {
      name: {
        type: 'string',
        minLength: 1,
        maxLength: 200,
        pattern: '\\S',
        description: 'The name or a part of it, in any case.',
      },
    },
    required: ['name'],
    additionalProperties: false,
  },
  outputSchema: {
    type: 'object',
    properties: {
      match: { enum: ['exact', 'partial', 'chosen', 'several', 'declined', 'cancelled', 'none'] },
      applicationId: candidate.properties.applicationId,
      name: candidate.properties.name,
      total: { type: 'integer', description: 'How many match.' },
      candidates: {
        type: 'array',
        items: candidate,
        description: `Without applicationId: what matches, at most ${mostChoices}; for none the nearest names.`,
      },
    },
    required: ['match'],
  },
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
}

/** @param path of the list of applications. */
export function lookupApplicationId(path: string, compile: ReturnType<typeof validatorCompiler>): OwnTool {
  return {
    entry,
    validate: compile(entry.name, entry.inputSchema),
    call: async (args, read, ask) => find(String(args['name']).trim(), await readApplications(read, path), ask),
  }
}

async function find(name: string, all: readonly Application[], ask: Ask | null): Promise<ToolResult> {
  const wanted = fold(name)
  const exact = all.filter((one) => fold(one.name) === wanted)
  const found = exact.length > 0 ? exact : all.filter((one) => fold(one.name).includes(wanted))
  const [only] = found
  if (only === undefined) return nothing(name, nearest(all, wanted, (one) => fold(one.name), mostNearest))
  if (found.length === 1) return hit(only, exact.length > 0 ? 'exact' : 'partial')
  return choose(name, found, ask)
}

async function choose(name: string, found: readonly Application[], ask: Ask | null): Promise<ToolResult> {
  const shown = found.slice(0, mostChoices)
  const rest = ` The first ${shown.length} are listed; a longer name finds the others.`
  const more = found.length > shown.length ? rest : ''
  const matching = `${found.length} applications match ${JSON.stringify(name)}.${more}`
  const miss = (match: Miss, text: string) => missed(match, `${matching} ${text}`, shown, found.length)
  const choices = shown.map((one) => ({ value: one.id, title: titleOf(one) }))
  const question = choiceQuestion(visible(`${matching} Which one is meant?`, false), 'Application', choices)
  const reply = ask ? await ask(question) : unable
  if (reply.action !== 'accept') return miss(...silence[reply.action])
  const chosen = shown.find((one) => one.id === reply.content['choice'])
  return chosen ? hit(chosen, 'chosen') : miss('several', 'The answer was none of them. Ask the user again.')
}

const unable = { action: 'unable' } as const

const silence: Record<Silence, [Miss, string]> = {
  decline: ['declined', 'The user was asked which one is meant and declined to say. Do not choose one yourself.'],
  cancel: ['cancelled', 'The user was asked which one is meant and gave no answer. Do not choose one yourself.'],
  unable: ['several', 'Ask the user which one is meant, then use its applicationId. Do not choose one yourself.'],
}

/** Two applications may have one name; their slugs differ. */
const titleOf = ({ id, name, slug }: Application) => visible(`${name} (${slug ?? id})`, false)

const shape = ({ id, name }: Application) => ({ applicationId: id, name })

function hit(application: Application, match: Match): ToolResult {
  const structuredContent = { ...shape(application), match }
  return { content: [json(structuredContent)], structuredContent }
}

function missed(match: Miss, text: string, candidates: readonly Application[], total: number): ToolResult {
  const structuredContent = { match, total, candidates: candidates.map(shape) }
  return { content: [{ type: 'text', text: visible(text, false) }, json(structuredContent)], structuredContent }
}

const json = (value: unknown) => ({ type: 'text', text: visible(JSON.stringify(value), true) }) as const

function nothing(name: string, near: readonly Application[]): ToolResult {
  const head = `None of your applications matches ${JSON.stringify(name)}.`
  const names = near.map((one) => JSON.stringify(one.name)).join(', ')
  const next = `The nearest names are ${names}. Ask the user whether one is meant.`
  return missed('none', `${head} ${near.length === 0 ? 'No name is near it.' : next}`, near, 0)
}
