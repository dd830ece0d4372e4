import { createBridgeDocument } from './bridge-document.ts'

type Json = Record<string, unknown>

const hints = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false }
const okResponse = { 200: { description: 'Done.', content: { 'application/json': { schema: { type: 'object' } } } } }
const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } }

function createPost(name: string, summary: string, members: Json, required: string[], more: Json): Json {
  return {
    post: {
      operationId: `${name}_v1`,
      summary,
      'x-mcp-type': 'tool',
      'x-mcp-name': name,
      'x-mcp-hints': hints,
      responses: okResponse,
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: { type: 'object', properties: members, required, additionalProperties: false },
          },
        },
      },
      ...more,
    },
  }
}

const dryRun = { name: 'dryRun', in: 'query', schema: { type: 'boolean', default: false } }
const filters = {
  name: 'filters',
  in: 'query',
  description: 'Fields: status.',
  schema: { type: 'array', maxItems: 100, items: { type: 'object' } },
}

const sorters = {
  name: 'sorters',
  in: 'query',
  content: {
    'application/json': {
      schema: {
        type: 'array',
        items: {
          type: 'object',
          properties: { field: { type: 'string' }, order: { type: 'string', enum: ['asc', 'desc'] } },
        },
      },
    },
  },
}

const guest = {
  note: { type: 'string' },
  email: { type: 'string', format: 'email', title: 'E-mail' },
  role: {
    type: 'string',
    oneOf: [
      { const: 'r', title: 'Reads' },
      { const: 'w', title: 'Writes' },
    ],
  },
  days: { type: 'integer', minimum: 1, maximum: 30, default: 7 },
}

const paths = {
  '/v1/guests': createPost('invite_guest', 'Invite a guest', guest, ['note', 'email', 'days'], {
    parameters: [{ name: 'loud', in: 'query', schema: { type: 'boolean', default: false } }],
    'x-mcp-ask': [
      { key: 'who', message: 'Who is invited?', members: ['email', 'role'] },
      { key: 'how', message: 'For how long?', members: ['days', 'loud'] },
    ],
  }),
  '/v1/areas': createPost(
    'choose_areas',
    'Choose areas',
    { areas: { type: 'array', minItems: 1, items: { type: 'string', enum: ['north', 'south'] } } },
    ['areas'],
    { 'x-mcp-ask': [{ key: 'areas', message: 'Which areas?', members: ['areas'] }] },
  ),
  '/v1/shops/{id}/close': createPost(
    'close_shop',
    'Close a shop',
    { name: { type: 'string', minLength: 3 } },
    ['name'],
    {
      parameters: [id],
      'x-mcp-ask': [{ key: 'name', message: 'What is its name?', members: ['name'] }],
      'x-mcp-confirm': true,
    },
  ),
  '/v1/posters/publish': createPost('publish_posters', 'Publish posters', { quiet: { type: 'boolean' } }, [], {
    parameters: [filters, sorters, dryRun],
    'x-mcp-confirm': true,
    'x-mcp-preview': 'always',
  }),
  '/v1/posters/reprint': createPost('reprint_posters', 'Print posters once more', {}, [], {
    parameters: [filters, dryRun],
    'x-mcp-confirm': true,
    'x-mcp-preview': 'always',
  }),
  '/v1/posters/{id}/status': createPost(
    'set_poster_status',
    'Set the status of a poster',
    { status: { type: 'string' } },
    ['status'],
    {
      parameters: [id, dryRun],
      'x-mcp-confirm': true,
      'x-mcp-preview': 'many',
      'x-mcp-hints': { idempotentHint: true, destructiveHint: true },
    },
  ),
  '/v1/posters/{id}/burn': createPost('burn_poster', 'Burn a poster', {}, [], {
    parameters: [id, dryRun],
    'x-mcp-confirm': true,
  }),
  '/v1/draft': createPost('draft_text', 'Draft a text', { about: { type: 'string' } }, [], {
    'x-mcp-requires': { sampling: {} },
  }),
}

/** Creates the document of the small API, with operations that ask people or need a capability of the client. */
export function createAskingDocument() {
  const document = createBridgeDocument()
  Object.assign(document.paths, structuredClone(paths))
  return document
}
