import type { KnownFailure } from './differences.ts'
import type { Revision } from './run.ts'

const logging = 'The bridge sends no log messages.'
const sampling = 'The bridge asks no model of the client.'
const subscribe = 'Resources cannot be subscribed to.'
const roots = 'The bridge asks for no roots of the client.'

/** Scenarios that count and cannot pass: the bridge does not have what they ask for. */
export const knownFailures: Readonly<Record<Revision, readonly KnownFailure[]>> = {
  '2025-11-25': [
    {
      scenario: 'logging-set-level',
      reason: logging,
      checks: { 'logging-set-level': /The method logging\/setLevel is not known here$/ },
    },
    {
      scenario: 'tools-call-with-logging',
      reason: logging,
      checks: { 'tools-call-with-logging': /-32601: The method logging\/setLevel is not known here$/ },
    },
    {
      scenario: 'tools-call-sampling',
      reason: sampling,
      checks: { 'tools-call-sampling': /^Server did not request sampling from client$/ },
    },
    {
      scenario: 'resources-subscribe',
      reason: subscribe,
      checks: { 'resources-subscribe': /The method resources\/subscribe is not known here$/ },
    },
    {
      scenario: 'resources-unsubscribe',
      reason: subscribe,
      checks: { 'resources-unsubscribe': /The method resources\/subscribe is not known here$/ },
    },
  ],
  '2026-07-28': [
    {
      scenario: 'input-required-result-basic-sampling',
      reason: sampling,
      checks: { 'sep-2322-sampling-incomplete': /^Expected InputRequiredResult with sampling inputRequest$/ },
    },
    {
      scenario: 'input-required-result-basic-list-roots',
      reason: roots,
      checks: { 'sep-2322-list-roots-incomplete': /^Expected InputRequiredResult with roots\/list inputRequest$/ },
    },
    {
      scenario: 'input-required-result-multiple-input-requests',
      reason: `${sampling} ${roots}`,
      checks: {
        'sep-2322-multiple-inputs-incomplete':
          /^Expected at least 3 inputRequests, got 1; Expected a sampling\/createMessage .*; Expected a roots\/list /,
      },
    },
    {
      scenario: 'input-required-result-capability-check',
      reason: sampling,
      checks: {
        'sep-2322-respect-client-capabilities': /^JSON-RPC error: This needs a client that declares elicitation$/,
      },
    },
  ],
}

const flat = 'Arguments are flat, with what a tool takes at the top and no rules between members there.'
const dialect = {
  'json-schema-2020-12-$schema': /^\$schema field missing/,
  'json-schema-2020-12-$defs': /^\$defs field missing/,
}

/** Scenarios that are run but part of no figure. One without checks has nothing that could be checked here. */
export const unscoredFailures: Readonly<Record<Revision, readonly KnownFailure[]>> = {
  '2025-11-25': [
    { scenario: 'json-schema-2020-12', reason: flat, checks: dialect },
    {
      scenario: 'server-sse-polling',
      reason: 'A stream that broke off cannot be taken up again.',
      checks: { 'server-sse-priming-event': /priming event/, 'server-sse-retry-field': /retry field/ },
    },
  ],
  '2026-07-28': [
    {
      scenario: 'json-schema-2020-12',
      reason: flat,
      checks: {
        ...dialect,
        'sep-2106-composition-keywords-preserved': /^allOf keyword missing/,
        'sep-2106-conditional-keywords-preserved': /^Conditional keywords missing \(if=false, then=false, else=false\)/,
        'sep-2106-anchor-keyword-preserved': /^\$anchor missing from \$defs\.address/,
      },
    },
    {
      scenario: 'tasks-lifecycle',
      reason: 'A task is a job of the API: it ends with an answer, not by cancelling or in an error of the protocol.',
      checks: {
        'sep-2663-tasks-get-status-failed': /^protocol error MUST surface as failed \(not "completed"\)/,
        'sep-2663-cancel-ack-empty-result': /did not reach terminal state within 10000ms$/,
      },
    },
    {
      scenario: 'tasks-mrtr-input',
      reason: 'A job of the API asks nobody.',
      checks: {
        'sep-2663-tasks-get-status-input-required': /^expected status:"input_required"; got "completed"/,
        'tasks-mrtr-partial-fulfillment': /^task with two parallel elicits MUST be input_required; got "completed"/,
      },
    },
    { scenario: 'tasks-status-notifications', reason: 'A task cannot be subscribed to.', checks: {} },
  ],
}
