import { operation } from '../../../../core/kernel/operation.ts'
import { object, optional, string, Type } from '../../../../core/kernel/schema.ts'

/** Work of no end, where that is asked for. */
export const spinning = operation({
  id: 'spin_v1', method: 'POST', path: '/v1/spin', summary: 'Work apart', tag: 'Tests', access: 'public', apart: true,
  body: object({ forever: optional(Type.Boolean({ description: 'Whether it never ends.' })) }),
  returns: { 200: object({ text: string('Any text.') }) },
}).performedBy(async ({ body }) => {
  if (body.forever) for (;;);
  return { text: 'done' }
})
