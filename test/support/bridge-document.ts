/** The document of a small API that has one operation of every shape the bridge maps. */

type Json = Record<string, unknown>

const hints = (
  readOnlyHint: boolean,
  destructiveHint = false,
  idempotentHint = readOnlyHint,
  openWorldHint = false,
) => ({ readOnlyHint, destructiveHint, idempotentHint, openWorldHint })

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const json = (schema: Json, type = 'application/json') => ({ content: { [type]: { schema } } })
const ok = (schema: Json) => ({ 200: { description: 'Done.', ...json(schema) } })
const accepted = { 202: { description: 'Begun.', ...json(ref('Started')) } }
const uuid = { type: 'string', format: 'uuid' }
const id = { name: 'id', in: 'path', required: true, schema: { ...uuid, description: 'Id of the widget.' } }
const anyId = { name: 'id', in: 'path', required: true, schema: { type: 'string' } }

const condition = {
  type: 'object',
  required: ['operator'],
  properties: {
    field: { type: 'string', enum: ['status', 'createdAt'] },
    operator: { type: 'string', enum: ['eq', 'ne', 'gt', 'or', 'and'] },
    value: {},
  },
}
const sorter = {
  type: 'object',
  required: ['field'],
  properties: {
    field: { type: 'string', enum: ['createdAt', 'name'] },
    order: { type: 'string', enum: ['asc', 'desc'] },
  },
}

/** Filters as our document declares them; sorters as other documents do. */
const listParameters = [
  { name: 'currentPage', in: 'query', schema: { type: 'integer', minimum: 1, default: 1 } },
  { name: 'pageSize', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100, default: 10 } },
  {
    name: 'filters',
    in: 'query',
    description: 'What the rows must have.',
    content: { 'application/json': { schema: { type: 'array', maxItems: 50, items: condition } } },
  },
  {
    name: 'sorters',
    in: 'query',
    style: 'deepObject',
    explode: true,
    schema: { type: 'array', maxItems: 5, items: sorter },
  },
]

function resource(name: string, responses: Json, more: Json = {}): Json {
  return {
    get: {
      operationId: `${name}_v1`,
      summary: `Read ${name}`,
      'x-mcp-type': 'resource',
      'x-mcp-name': name,
      'x-mcp-hints': hints(true),
      responses,
      ...more,
    },
  }
}

function tool(method: string, name: string, responses: Json, more: Json = {}): Json {
  const own = hints(method === 'get', method === 'delete', method !== 'post')
  return {
    [method]: {
      operationId: `${name}_v1`,
      summary: `Do ${name}`,
      'x-mcp-type': 'tool',
      'x-mcp-name': name,
      'x-mcp-hints': own,
      responses,
      ...more,
    },
  }
}

const body = (schema: Json, required = true) => ({ requestBody: { required, ...json(schema) } })

const widgetPaths = {
  '/v1/widgets': {
    ...resource('list_widgets', ok(ref('WidgetList')), { parameters: listParameters }),
    ...tool('post', 'create_widget', { 201: { description: 'Made.', ...json(ref('Widget')) } }, body(ref('NewWidget'))),
  },
  '/v1/widgets/stats': resource('get_widgets_stats', ok({ type: 'object' })),
  '/v1/widgets/secret': { get: { operationId: 'get_secret_v1', responses: ok({ type: 'object' }) } },
  '/v1/widgets/publish': tool('post', 'publish_widgets', accepted, {
    parameters: [
      ...listParameters,
      { name: 'tags', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
    ],
    'x-mcp-confirm': true,
  }),
  '/v1/widgets/{id}': {
    parameters: [anyId, { name: 'Idempotency-Key', in: 'header', schema: { type: 'string' } }],
    ...resource('get_widget', ok(ref('Widget'))),
    ...tool('patch', 'update_widget', ok(ref('Widget')), {
      ...body(ref('WidgetChange')),
      parameters: [{ name: 'name', in: 'query', schema: { type: 'string' } }],
    }),
    ...tool('delete', 'delete_widget', ok(ref('Widget')), { 'x-mcp-confirm': true }),
  },
  '/v1/widgets/{id}/stats': resource('get_widget_stats', ok({ type: 'object' }), { parameters: [anyId] }),
  '/v1/widgets/{id}/token': tool('get', 'get_widget_token', ok({ type: 'string' }), { parameters: [id] }),
  '/v1/widgets/{id}/mint': tool('post', 'mint_widget', accepted, {
    parameters: [id],
    ...body({ type: 'array', minItems: 1, items: ref('Unit') }),
  }),
  '/v1/widgets/{id}/image': resource(
    'get_widget_image',
    { 200: { description: 'It.', content: { 'image/png': {}, 'image/svg+xml': {} } } },
    { parameters: [anyId, { name: 'format', in: 'query', schema: { enum: ['png', 'svg'] } }] },
  ),
  '/v1/widgets/{id}/log': resource(
    'get_widget_log',
    { 200: { description: 'Rows.', content: { 'text/csv': {} } } },
    { parameters: [anyId] },
  ),
}

const otherPaths = {
  '/v1/echo': tool('post', 'echo', ok({ type: 'object' }), { ...body(ref('Echo')) }),
  '/v1/draw': tool('post', 'draw', { 200: { description: 'It.', content: { 'image/png': {} } } }),
  '/v1/pack': tool('post', 'pack', { 200: { description: 'It.', content: { 'application/zip': {} } } }),
  '/v1/table': tool('post', 'table', { 200: { description: 'Rows.', content: { 'text/csv': {} } } }),
  '/v1/forget': tool(
    'post',
    'forget',
    { 204: { description: 'Done.' } },
    body({ type: 'object', properties: { all: { type: 'boolean' } }, additionalProperties: false }, false),
  ),
  '/v1/check': tool(
    'post',
    'check',
    ok({ type: 'array', items: { type: 'integer' } }),
    body({ type: 'object', description: 'Any credential.' }),
  ),
  '/v1/note': tool('post', 'note', ok({ type: 'object' }), {
    requestBody: { required: true, content: { 'text/plain': { schema: { type: 'string' } } } },
  }),
  '/v1/upload': tool('post', 'upload', ok({ type: 'object' }), {
    requestBody: { required: true, content: { 'application/pdf': {} } },
  }),
  '/v1/wait': tool('post', 'wait', ok({ type: 'object' })),
  '/v1/refuse': tool(
    'post',
    'refuse',
    ok({ type: 'object' }),
    body({ type: 'object', required: ['as'], properties: { as: { type: 'string' } }, additionalProperties: false }),
  ),
  '/v1/jobs/{id}': resource('get_job', ok({ type: 'object' }), { parameters: [anyId] }),
  '/v1/jobs/{id}/sse': {
    get: {
      operationId: 'follow_job_v1',
      parameters: [anyId],
      responses: { 200: { description: 'Events.', content: { 'text/event-stream': {} } } },
    },
  },
  '/v1/llm/chat': tool('post', 'chat', ok({ type: 'object' })),
}

/** A nested thing with more than 30 members, most of them its children's. */
const bigThing = {
  type: 'object',
  required: ['name'],
  additionalProperties: false,
  properties: {
    name: { type: 'string', minLength: 1 },
    ...Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`member${index}`, { type: 'string' }])),
    size: ref('Size'),
    weight: ref('Size'),
    maker: {
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`fact${index}`, { type: 'string' }])),
    },
  },
}

const schemas = {
  Size: {
    type: 'object',
    required: ['value'],
    properties: { value: { type: 'number' }, unit: { type: 'string' } },
    additionalProperties: false,
  },
  Part: {
    type: 'object',
    required: ['name'],
    properties: { name: { type: 'string' }, parts: { type: 'array', items: ref('Part') } },
    additionalProperties: false,
  },
  BigThing: bigThing,
  Maker: {
    type: 'object',
    properties: { $ref: { type: 'string', description: 'A member of this name.' } },
    additionalProperties: false,
  },
  NewWidget: {
    type: 'object',
    required: ['name', 'status'],
    additionalProperties: false,
    properties: {
      name: { type: 'string', minLength: 1, maxLength: 200, description: 'Shown to people.' },
      status: { enum: ['draft', 'published'] },
      inner: ref('Size'),
      outer: ref('Size'),
      part: ref('Part'),
      maker: ref('Maker'),
      thing: { anyOf: [ref('BigThing'), { type: 'null' }] },
      fields: { type: 'object', additionalProperties: true },
    },
  },
  WidgetChange: {
    allOf: [
      { type: 'object', properties: { name: { type: 'string' } } },
      {
        type: 'object',
        properties: { id: { type: 'string' }, note: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
        minProperties: 1,
      },
    ],
  },
  Widget: {
    type: 'object',
    required: ['id', 'name'],
    properties: { id: uuid, name: { type: 'string' }, part: ref('Part') },
  },
  WidgetList: {
    type: 'object',
    required: ['data', 'total'],
    properties: { data: { type: 'array', items: ref('Widget') }, total: { type: 'integer' } },
  },
  Unit: {
    type: 'object',
    required: ['serial'],
    properties: { serial: { type: 'string' } },
    additionalProperties: false,
  },
  Started: {
    type: 'object',
    required: ['jobId'],
    properties: { jobId: { type: 'string' }, matched: { type: 'integer' } },
  },
  Echo: {
    type: 'object',
    required: ['value'],
    properties: { value: { type: 'string' }, delay: { type: 'integer' } },
    additionalProperties: false,
  },
}

/** A new copy each time, so that a test may change it. */
export function bridgeDocument(): Json & {
  paths: Record<string, Json>
  components: { schemas: Record<string, Json> }
} {
  return structuredClone({
    openapi: '3.1.0',
    info: { title: 'Widgets', version: '1' },
    paths: { ...widgetPaths, ...otherPaths },
    components: { schemas },
  })
}
