import { answerRedirect, isAnswer, type Answer } from '../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import type { ProblemError } from '../../../kernel/problem.ts'
import { object, oneOf, string } from '../../../kernel/schema.ts'
import type { Work } from '../../../kernel/work.ts'
import { listApplicationChoices } from '../../../features/applications/index.ts'
import {
  countDemoSteps,
  isOtherRunStarted,
  listDemoNetworks,
  listDemoScenarios,
  listRuns,
  readDemo,
  restartDemo,
  scenarios,
  sizeLimits,
  startDemo,
  type DemoPhase,
} from '../../../features/demo/index.ts'
import { memberPageOptions } from '../console.ts'
import { getRefusal, renderQuestion } from '../frame/forms.views.ts'
import { openPage, renderFramed, type ConsolePage } from '../frame/frame.ts'
import { getProblemStatus } from '../../site/layout.ts'
import { demoPath, getDemoAddress, renderDemos, type DemoForm } from './demo.views.ts'
import { renderRun } from './run.views.ts'
import { demoWords } from './words.ts'

/** The permission that all scenarios need besides their own; who lacks it does not see the pages. */
const permission = 'application:create'
/** The number of demos that the page lists: all that are there, and the last ones that were taken away. */
const maxListed = 50
/** The interval between two reloads of a browser without scripts, in seconds. */
const refreshSeconds = 2

const defaultForm: DemoForm = { scenario: 'passport', application: '', size: String(sizeLimits.standard), network: '' }

async function showDemos(page: ConsolePage, form: DemoForm, problem?: ProblemError): Promise<Answer> {
  const { work, member, language } = page
  const [runs, applications, calls] = await Promise.all([
    listRuns(work.trx, member.organization, maxListed),
    listApplicationChoices(work.trx, member.organization),
    work.context.loadOperationCalls(),
  ])
  const networks = listDemoNetworks(work.context)
  const view = { runs, applications, networks, scenarios: listDemoScenarios(calls), form, problem }
  const { title } = demoWords[language]
  return renderFramed(page, { title, ...getProblemStatus(problem) }, renderDemos(page, view))
}

const listOperation = declareOperation({
  id: 'console_demos_page_v1',
  method: 'GET',
  path: demoPath,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Demo environments of the organization' },
}).withReadHandler(async (input) => {
  const page = openPage(input, demoPath, permission)
  return isAnswer(page) ? page : showDemos(page, defaultForm)
})

const startOperation = declareOperation({
  id: 'console_demo_start_page_v1',
  method: 'POST',
  path: demoPath,
  ...memberPageOptions,
  body: object({
    scenario: oneOf(scenarios, 'What to show.'),
    application: string('Id of the application; empty for a new one.', {
      pattern: '^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})?$',
    }),
    size: string('Passports of each kind.', { maxLength: 6 }),
    network: string('The test network.', { maxLength: 40 }),
  }),
  document: { tag: 'Pages', summary: 'Make a demo environment' },
}).withOutboundHandler(async (input) => {
  const page = openPage(input, demoPath, permission)
  if (isAnswer(page)) return page
  const { scenario, application, size, network } = input.body
  const choice = {
    scenario,
    applicationId: application === '' ? null : application,
    size: /^\d{1,4}$/.test(size) ? Number(size) : 0,
    network,
  }
  try {
    return await input.finish(async (work) =>
      answerRedirect(getDemoAddress(await startDemo(work, page.member, choice)), undefined, 303),
    )
  } catch (cause) {
    return showDemos(page, input.body, getRefusal(cause))
  }
})

async function showRun(page: ConsolePage, id: string, problem?: ProblemError): Promise<Answer> {
  const { work, member, language } = page
  const { run, calls } = await readDemo(work, member, id)
  const [total, applications] = await Promise.all([
    countDemoSteps(work.context, run),
    listApplicationChoices(work.trx, member.organization),
  ])
  const applicationName =
    run.application === null ? null : (applications.find((one) => one.id === run.application)?.name ?? run.application)
  const options = {
    title: demoWords[language].runTitle(run.run_id),
    ...(run.status === 'running' && { refresh: refreshSeconds, script: '/assets/demo.js' }),
    ...getProblemStatus(problem),
  }
  return renderFramed(page, options, renderRun(page, { run, calls, total, applicationName, problem }))
}

const readOperation = declareOperation({
  id: 'console_demo_page_v1',
  method: 'GET',
  path: `${demoPath}/:id`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'A demo environment, call by call' },
}).withReadHandler(async (input) => {
  const page = openPage(input, getDemoAddress(input.params.id), permission)
  return isAnswer(page) ? page : showRun(page, input.params.id)
})

/** Starts a part of a run again, and leads to the run that goes on then. */
async function restart(
  page: ConsolePage,
  finish: <T>(change: (work: Work) => Promise<T>) => Promise<T>,
  id: string,
  phase: DemoPhase,
): Promise<Answer> {
  try {
    return await finish(async (work) =>
      answerRedirect(getDemoAddress(await restartDemo(work, page.member, id, phase)), undefined, 303),
    )
  } catch (cause) {
    if (isOtherRunStarted(cause)) return answerRedirect(demoPath, undefined, 303)
    return showRun(page, id, getRefusal(cause))
  }
}

const prepareOperation = declareOperation({
  id: 'console_demo_prepare_page_v1',
  method: 'POST',
  path: `${demoPath}/:id/prepare`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Run the plan of a demo environment again' },
}).withOutboundHandler(async (input) => {
  const page = openPage(input, getDemoAddress(input.params.id), permission)
  return isAnswer(page) ? page : restart(page, input.finish, input.params.id, 'prepare')
})

const removeQuestionOperation = declareOperation({
  id: 'console_demo_remove_question_v1',
  method: 'GET',
  path: `${demoPath}/:id/remove`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Before a demo environment is taken away' },
}).withReadHandler(async (input) => {
  const here = getDemoAddress(input.params.id, '/remove')
  const page = openPage(input, here, permission)
  if (isAnswer(page)) return page
  const { run } = await readDemo(page.work, page.member, input.params.id)
  const phrases = demoWords[page.language]
  const title = phrases.removeTitle(run.run_id)
  const question = {
    title,
    consequences: phrases.removeConsequences,
    button: phrases.remove,
    action: here,
    back: getDemoAddress(run.id),
    problem: undefined,
  }
  return renderFramed(page, { title, wide: false }, renderQuestion(question, page.words))
})

const removeOperation = declareOperation({
  id: 'console_demo_remove_page_v1',
  method: 'POST',
  path: `${demoPath}/:id/remove`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Take a demo environment away' },
}).withOutboundHandler(async (input) => {
  const here = getDemoAddress(input.params.id, '/remove')
  const page = openPage(input, here, permission)
  if (isAnswer(page)) return page
  return restart(page, input.finish, input.params.id, 'remove')
})

/** The pages where demo environments are made, watched and taken away. */
export const demoPages: Operation[] = [
  listOperation,
  startOperation,
  readOperation,
  prepareOperation,
  removeQuestionOperation,
  removeOperation,
]
