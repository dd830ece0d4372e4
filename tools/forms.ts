import { filledIn, type Question, type Round } from './asking.ts'
import { gather } from './gather.ts'
import { DocumentError, follow, isRecord, within, type ApiDocument, type Located, type Schema } from './openapi.ts'
import { wholeView } from './shorten.ts'
import type { validatorCompiler } from './validators.ts'
import { violations } from './violations.ts'

/** What an argument has to be, by its name. */
export interface Askable {
  readonly schema: Located
  readonly required: boolean
}

/**
 * The questions of an operation. An answer is judged by the document's own schemas, of which a form shows what
 * elicitation has words for. Throws DocumentError for a member that no form can have.
 */
export function questionsOf(
  document: ApiDocument,
  rounds: readonly Round[],
  askable: ReadonlyMap<string, Askable>,
  compile: ReturnType<typeof validatorCompiler>,
): Question[] {
  return rounds.map(({ key, message, members: names }) =>
    within(`x-mcp-ask ${key}`, () => {
      const found = names.map((name) => {
        const one = askable.get(name)
        if (!one) throw new DocumentError(`${name} is no argument that can be asked for`)
        return { name, ...one }
      })
      const members = Object.fromEntries(
        found.map(({ name, schema }) => [name, within(name, () => formMember(document, schema))]),
      )
      const required = found.filter((one) => one.required).map(({ name }) => name)
      const { schemas, definitions } = gather(found.map(({ schema }) => schema), wholeView(document))
      const validate = compile(`x-mcp-ask ${key}`, {
        type: 'object',
        properties: Object.fromEntries(names.map((name, index) => [name, schemas[index]])),
        required,
        ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions }),
      })
      const question = { key, message, members, required, bound: false }
      const judge: Question['judge'] = (content) => violations(validate(filledIn(members, content)))
      return { ...question, judge }
    }),
  )
}

/** Formats that a form may state. Source: MCP 2026-07-28, StringSchema. */
const formats = ['email', 'uri', 'date', 'date-time']

/**
 * A member as a form shows it: text, number, yes or no, one choice or several. What may also be null is shown as what
 * it is otherwise. Source: MCP 2026-07-28, PrimitiveSchemaDefinition.
 */
export function formMember(document: ApiDocument, { schema: stated, pointer }: Located): Schema {
  const { schema, about } = plain(document, stated, pointer)
  const { type } = schema
  if (type === 'boolean') return { type, ...about, ...kept(schema, ['default']) }
  if (type === 'number' || type === 'integer') {
    if (schema['enum'] !== undefined) throw new DocumentError('a form has no choice of numbers')
    return { type, ...about, ...kept(schema, ['minimum', 'maximum', 'default']) }
  }
  if (type === 'array') {
    const { schema: items } = plain(document, schema['items'], pointer)
    const choices = choicesOf(items, 'anyOf')
    if (!choices) throw new DocumentError('a form has lists of choices only')
    const inside = 'enum' in choices ? { type: 'string', ...choices } : choices
    return { type, ...about, ...kept(schema, ['minItems', 'maxItems']), items: inside, ...kept(schema, ['default']) }
  }
  const choices = choicesOf(schema, 'oneOf')
  if (choices)
    return { type: 'string', ...about, ...choices, ...titlesOf(schema, choices), ...kept(schema, ['default']) }
  if (type !== 'string') throw new DocumentError('a form has no such member')
  if (schema['format'] === 'password') throw new DocumentError('a form never asks for a secret')
  const format = formats.includes(String(schema['format'])) ? kept(schema, ['format']) : {}
  return { type, ...about, ...kept(schema, ['minLength', 'maxLength']), ...format, ...kept(schema, ['default']) }
}

/** Behind its references, and without its branch of null. The outermost title and description are the member's own. */
function plain(document: ApiDocument, stated: unknown, pointer: string): { schema: Schema; about: Schema } {
  let about: Schema = {}
  let schema: Schema = isRecord(stated) ? stated : {}
  for (let steps = 0; ; steps++) {
    about = { ...kept(schema, ['title', 'description']), ...about }
    const next = typeof schema['$ref'] === 'string' ? follow(document, schema, pointer).schema : otherThanNull(schema)
    if (next === null || steps > 32) break
    schema = next
  }
  const types = schema['type']
  if (!Array.isArray(types)) return { schema, about }
  const left = (types as unknown[]).filter((type) => type !== 'null')
  return { schema: left.length === 1 ? { ...schema, type: left[0] } : schema, about }
}

function otherThanNull(schema: Schema): Schema | null {
  for (const keyword of ['anyOf', 'oneOf']) {
    const branches = schema[keyword]
    if (!Array.isArray(branches)) continue
    const left = branches.filter((branch) => !(isRecord(branch) && branch['type'] === 'null'))
    if (left.length === 1 && left.length < branches.length && isRecord(left[0]))
      return { ...kept(schema, ['default']), ...left[0] }
  }
  return null
}

/** Choices without titles, or with them under the keyword that the place wants; null where there are none. */
function choicesOf(schema: Schema, keyword: 'oneOf' | 'anyOf'): Schema | null {
  const values = schema['const'] === undefined ? schema['enum'] : [schema['const']]
  if (Array.isArray(values)) {
    const texts = values.filter((value) => value !== null)
    return texts.length > 0 && texts.every((value) => typeof value === 'string') ? { enum: texts } : null
  }
  const branches = schema['oneOf'] ?? schema['anyOf']
  if (!Array.isArray(branches)) return null
  const titled = branches.flatMap((branch: unknown) =>
    isRecord(branch) && typeof branch['const'] === 'string'
      ? [{ const: branch['const'], title: typeof branch['title'] === 'string' ? branch['title'] : branch['const'] }]
      : [],
  )
  return titled.length > 0 && titled.length === branches.length ? { [keyword]: titled } : null
}

/** The older spelling of titles. */
function titlesOf({ enumNames }: Schema, choices: Schema): Schema {
  const count = Array.isArray(choices['enum']) ? choices['enum'].length : 0
  return Array.isArray(enumNames) && enumNames.length === count ? { enumNames } : {}
}

const kept = (schema: Schema, keywords: readonly string[]): Schema =>
  Object.fromEntries(
    keywords
      .map((keyword) => [keyword, schema[keyword]] as const)
      .filter(([, value]) => value !== undefined && value !== null),
  )
