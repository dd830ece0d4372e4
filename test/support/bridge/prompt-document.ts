import { createBridgeDocument } from './bridge-document.ts'

type Json = Record<string, unknown>

const hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
const messages = { 200: { description: 'Messages.', content: { 'application/json': { schema: { type: 'object' } } } } }
const createQueryParameter = (name: string, schema: Json, more: Json = {}) => ({ name, in: 'query', schema, ...more })

const createPrompt = (name: string, parameters: readonly Json[], more: Json = {}): Json => ({
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
  '/v1/widgets/{id}/praise': createPrompt('praise_widget', [
    id,
    createQueryParameter('tone', tone, { required: true, description: 'How it sounds.' }),
    createQueryParameter('words', { type: 'string', pattern: '^\\d+$' }),
  ]),
  '/v1/letter': createPrompt(
    'write_letter',
    [createQueryParameter('to', { type: 'string' }), createQueryParameter('urgent', { type: 'boolean' })],
    {
      'x-mcp-ask': [{ key: 'haste', message: 'Is it urgent?', members: ['urgent'] }],
    },
  ),
  '/v1/summary': createPrompt('sum_up', [], { 'x-mcp-requires': { sampling: {} } }),
}

/** Creates the document of the small API, with operations that answer prompts. */
export function createPromptDocument() {
  const document = createBridgeDocument()
  Object.assign(document.paths, structuredClone(paths))
  return document
}
