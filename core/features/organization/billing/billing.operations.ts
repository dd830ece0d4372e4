import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { PortalSession, PortalSessionRequest } from './billing.schema.ts'
import { createPortalSession } from './portal.ts'
import { stripeOperations } from './stripe/webhooks.operations.ts'

const createPortalSessionOperation = declareOperation({
  id: 'create_billing_portal_session_v1',
  method: 'POST',
  path: '/v1/billing/portal-session',
  access: 'billing:update',
  body: PortalSessionRequest,
  returns: { 201: PortalSession },
  transport: { location: ({ url }: PortalSession) => url },
  document: {
    tag: 'Billing',
    summary: 'Create a billing page for one visit',
    description:
      'Answers the address of a page where a member sees the plan, what was used and the invoices to come. It opens once.',
    mcpName: 'create_billing_portal_session',
    mcpHints: { openWorldHint: true },
  },
}).withOutboundHandler(({ caller, context, body }) => createPortalSession(context, caller, body.returnUrl))

export const billingOperations: Operation[] = [createPortalSessionOperation, ...stripeOperations]
