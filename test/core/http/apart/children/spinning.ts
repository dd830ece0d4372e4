import { declareOperation } from '../../../../../core/kernel/operation.ts'
import { object, optional, string, Type } from '../../../../../core/kernel/schema.ts'

/** Work of no end, where that is asked for. */
export const spinning = declareOperation({
  id: 'spin_v1',
  method: 'POST',
  path: '/v1/spin',
  access: 'public',
  body: object({ forever: optional(Type.Boolean({ description: 'Whether it never ends.' })) }),
  returns: { 200: object({ text: string('Any text.') }) },
  execution: { runsInThread: true },
  document: { tag: 'Tests', summary: 'Work apart' },
}).withOutboundHandler(async ({ body }) => {
  if (body.forever) for (;;);
  return { text: 'done' }
})
