import { bridgeDocument } from './bridge-document.ts'

type Json = Record<string, unknown>

const hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
const messages = { 200: { description: 'Messages.', content: { 'application/json': { schema: { type: 'object' } } } } }
const query = (name: string, schema: Json, more: Json = {}) => ({ name, in: 'query', schema, ...more })

const prompt = (name: string, parameters: readonly Json[], more: Json = {}): Json => ({
  get: {
    operationId: `${name}_v1`,
    summary: `Write ${name}`,
    description: 'For an assistant.',
    'x-mcp-type': 'prompt',
    'x-mcp-name': name,
    'x-mcp-hints': hints,
    parameters,
    responses: messages,
    ...more,
  },
})

const tone = { type: 'string', enum: ['plain', 'playful', 'formal'] }
const id = { name: 'id', in: 'path', required: true, schema: { type: 'string', description: 'Id of the widget.' } }

const paths = {
  '/v1/widgets/{id}/praise': prompt('praise_widget', [
    id,
    query('tone', tone, { required: true, description: 'How it sounds.' }),
    query('words', { type: 'string', pattern: '^\\d+$' }),
  ]),
  '/v1/letter': prompt('write_letter', [query('to', { type: 'string' }), query('urgent', { type: 'boolean' })], {
    'x-mcp-ask': [{ key: 'haste', message: 'Is it urgent?', members: ['urgent'] }],
  }),
  '/v1/summary': prompt('sum_up', [], { 'x-mcp-requires': { sampling: {} } }),
}

/** The document of the small API, with operations that answer prompts. */
export function promptDocument() {
  const document = bridgeDocument()
  Object.assign(document.paths, structuredClone(paths))
  return document
}
