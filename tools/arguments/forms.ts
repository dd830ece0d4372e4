import { pickFilledContent, type ElicitationQuestion, type QuestionDeclaration } from '../own/elicitation.ts'
import { gatherSchemas } from './gather-schemas.ts'
import {
  DocumentError,
  resolveReference,
  isRecord,
  withPlace,
  type ApiDocument,
  type LocatedSchema,
  type Schema,
} from '../openapi.ts'
import { createFullView } from '../catalogue/shorten.ts'
import type { createValidatorCompiler } from '../catalogue/validators.ts'
import { toIssues } from '../results/issues.ts'

/** The schema of an argument that a form may ask for. */
export interface FormArgument {
  readonly schema: LocatedSchema
  readonly required: boolean
}

/**
 * Creates the questions of an operation. The document's own schemas validate an answer; a form shows only the keywords
 * that elicitation allows.
 * @throws DocumentError for a member that no form can have
 */
export function createQuestions(
  document: ApiDocument,
  declarations: readonly QuestionDeclaration[],
  formArguments: ReadonlyMap<string, FormArgument>,
  compile: ReturnType<typeof createValidatorCompiler>,
): ElicitationQuestion[] {
  return declarations.map(({ key, message, members: names }) =>
    withPlace(`x-mcp-ask ${key}`, () => {
      const elicitedArguments = names.map((name) => {
        const one = formArguments.get(name)
        if (!one) throw new DocumentError(`${name} is no argument that can be asked for`)
        return { name, ...one }
      })
      const members = Object.fromEntries(
        elicitedArguments.map(({ name, schema }) => [name, withPlace(name, () => createFormMember(document, schema))]),
      )
      const required = elicitedArguments.filter((one) => one.required).map(({ name }) => name)
      const { schemas, definitions } = gatherSchemas(
        elicitedArguments.map(({ schema }) => schema),
        createFullView(document),
      )
      const validate = compile(`x-mcp-ask ${key}`, {
        type: 'object',
        properties: Object.fromEntries(names.map((name, index) => [name, schemas[index]])),
        required,
        ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions }),
      })
      const validateContent: ElicitationQuestion['validateContent'] = (content) =>
        toIssues(validate(pickFilledContent(members, content)))
      return { key, message, members, required, requiresState: false, validateContent }
    }),
  )
}

/** The formats that a form may state. Source: MCP 2026-07-28, StringSchema. */
const formats = ['email', 'uri', 'date', 'date-time']

/**
 * Creates the schema of a member in a form: a text, number, boolean, one choice or several choices. A nullable schema
 * is shown without its null. Source: MCP 2026-07-28, PrimitiveSchemaDefinition.
 * @throws DocumentError if a form cannot show the member
 */
export function createFormMember(document: ApiDocument, { schema: stated, pointer }: LocatedSchema): Schema {
  const { schema, about } = resolvePlainSchema(document, stated, pointer)
  const { type } = schema
  if (type === 'boolean') return { type, ...about, ...pickKeywords(schema, ['default']) }
  if (type === 'number' || type === 'integer') {
    if (schema['enum'] !== undefined) throw new DocumentError('a form has no choice of numbers')
    return { type, ...about, ...pickKeywords(schema, ['minimum', 'maximum', 'default']) }
  }
  if (type === 'array') {
    const { schema: items } = resolvePlainSchema(document, schema['items'], pointer)
    const choices = findChoices(items, 'anyOf')
    if (!choices) throw new DocumentError('a form has lists of choices only')
    const inside = 'enum' in choices ? { type: 'string', ...choices } : choices
    return {
      type,
      ...about,
      ...pickKeywords(schema, ['minItems', 'maxItems']),
      items: inside,
      ...pickKeywords(schema, ['default']),
    }
  }
  const choices = findChoices(schema, 'oneOf')
  if (choices)
    return {
      type: 'string',
      ...about,
      ...choices,
      ...getEnumNames(schema, choices),
      ...pickKeywords(schema, ['default']),
    }
  if (type !== 'string') throw new DocumentError('a form has no such member')
  if (schema['format'] === 'password') throw new DocumentError('a form never asks for a secret')
  const format = formats.includes(String(schema['format'])) ? pickKeywords(schema, ['format']) : {}
  return {
    type,
    ...about,
    ...pickKeywords(schema, ['minLength', 'maxLength']),
    ...format,
    ...pickKeywords(schema, ['default']),
  }
}

/** Resolves references and removes the null branch. The outermost title and description are the member's own. */
function resolvePlainSchema(
  document: ApiDocument,
  statedSchema: unknown,
  pointer: string,
): { schema: Schema; about: Schema } {
  let about: Schema = {}
  let schema: Schema = isRecord(statedSchema) ? statedSchema : {}
  for (let steps = 0; ; steps++) {
    about = { ...pickKeywords(schema, ['title', 'description']), ...about }
    const next =
      typeof schema['$ref'] === 'string' ? resolveReference(document, schema, pointer).schema : getNonNullBranch(schema)
    if (next === null || steps > 32) break
    schema = next
  }
  const types = schema['type']
  if (!Array.isArray(types)) return { schema, about }
  const left = (types as unknown[]).filter((type) => type !== 'null')
  return { schema: left.length === 1 ? { ...schema, type: left[0] } : schema, about }
}

function getNonNullBranch(schema: Schema): Schema | null {
  for (const keyword of ['anyOf', 'oneOf']) {
    const branches = schema[keyword]
    if (!Array.isArray(branches)) continue
    const left = branches.filter((branch) => !(isRecord(branch) && branch['type'] === 'null'))
    if (left.length === 1 && left.length < branches.length && isRecord(left[0]))
      return { ...pickKeywords(schema, ['default']), ...left[0] }
  }
  return null
}

/** Finds choices without titles, or with titles under the given keyword; null if there are none. */
function findChoices(schema: Schema, keyword: 'oneOf' | 'anyOf'): Schema | null {
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

/** Returns the titles of choices in the older spelling. */
function getEnumNames({ enumNames }: Schema, choices: Schema): Schema {
  const count = Array.isArray(choices['enum']) ? choices['enum'].length : 0
  return Array.isArray(enumNames) && enumNames.length === count ? { enumNames } : {}
}

const pickKeywords = (schema: Schema, keywords: readonly string[]): Schema =>
  Object.fromEntries(
    keywords
      .map((keyword) => [keyword, schema[keyword]] as const)
      .filter(([, value]) => value !== undefined && value !== null),
  )
