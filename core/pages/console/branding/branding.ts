import { answerRedirect, isAnswer, type Answer } from '../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import type { ProblemError } from '../../../kernel/problem.ts'
import { object, optional, string } from '../../../kernel/schema.ts'
import {
  changeApplication,
  listApplications,
  lookNames,
  presentApplicationTo,
  readApplication,
  type ApplicationContributions,
  type ApplicationView,
} from '../../../features/applications/index.ts'
import { html } from '../../site/html.ts'
import { getProblemStatus } from '../../site/layout.ts'
import { renderApplicationNeeded } from '../applications/applications.views.ts'
import { may, memberPageOptions } from '../console.ts'
import { copyScript } from '../frame/copy.views.ts'
import { getRefusal } from '../frame/forms.views.ts'
import { openPage, renderFramed, type ConsolePage } from '../frame/frame.ts'
import { createPageRequest, cursorField, formatAddress, isGiven } from '../frame/lists.ts'
import { computeMark, createMarkCheck } from '../frame/marks.ts'
import {
  createThemePatch,
  fieldNames,
  readDraft,
  readForm,
  startWith,
  toForm,
  type BrandingForm,
} from './branding.form.ts'
import { renderBranding, renderBrandings } from './branding.views.ts'
import type { OptInView } from './opt-in.views.ts'
import { brandingPath as path, getBrandingAddress as getAddress } from './previews.ts'
import { brandingWords } from './words.ts'

/** The applications of the organization by their looks; the page of the only one if there is one. */
const listOperation = declareOperation({
  id: 'console_brandings_page_v1',
  method: 'GET',
  path,
  ...memberPageOptions,
  query: { cursor: cursorField },
  document: { tag: 'Pages', summary: 'Looks of the applications' },
}).withReadHandler(async (input) => {
  const page = openPage(input, path, 'application:read')
  if (isAnswer(page)) return page
  const { cursor } = input.query
  const request = createPageRequest([], { sorter: { field: 'name', order: 'asc' }, cursor })
  const { data, total, nextCursor } = await listApplications(page.work, page.member, request)
  const [only] = data
  if (only && total === 1) return answerRedirect(getAddress(only.id), undefined, 303)
  const content =
    total === 0
      ? renderApplicationNeeded(page)
      : renderBrandings(page, {
          applications: data,
          total,
          isFirst: !isGiven(cursor),
          next: nextCursor === null ? null : formatAddress(path, { cursor: nextCursor }),
        })
  return renderFramed(page, { title: brandingWords[page.language].title }, content)
})

const readOperation = declareOperation({
  id: 'console_branding_page_v1',
  method: 'GET',
  path: `${path}/:id`,
  ...memberPageOptions,
  query: { saved: optional(string('Whether a change has just been kept.', { maxLength: 3 })) },
  document: { tag: 'Pages', summary: 'Looks of an application' },
}).withReadHandler(async (input) => {
  const page = openPage(input, getAddress(input.params.id), 'application:read')
  return isAnswer(page) ? page : renderOne(page, input.params.id, { isSaved: input.query.saved !== undefined })
})

interface ShownState {
  isSaved?: boolean
  problem?: ProblemError
  /** A form that is previewed or was refused, with the mark that it had. */
  written?: { form: BrandingForm; mark: string }
  optIn?: OptInView
}

/** Picks what the form changes of an application. */
const pickTheme = ({ theme }: ApplicationView) => theme

const readShown = async ({ member, work }: ConsolePage, id: string): Promise<ApplicationView> =>
  presentApplicationTo(member, work, await readApplication(work, id))

/** Renders the looks of an application, those that are stored or those of a form. */
export async function renderOne(
  page: ConsolePage,
  id: string,
  { isSaved = false, problem, written, optIn = {} }: ShownState,
): Promise<Answer> {
  const application = await readShown(page, id)
  const present = toForm(application.theme)
  const form = written?.form ?? present
  const draft = readDraft(form)
  const isStale = problem?.code === 'PRECONDITION_FAILED'
  const mark = written && !isStale ? written.mark : computeMark(pickTheme(application))
  // A preview says what is wrong with its fields, as saving them would.
  const shownProblem = problem ?? draft.problem
  const content = renderBranding(page, {
    application,
    form,
    draft,
    looks: may(page.member, 'application:update') ? { form, mark, stored: isStale ? present : null } : null,
    optIn: may(page.member, 'dpp:create') ? optIn : null,
    isSaved,
    isDraft: written !== undefined && shownProblem === undefined,
    problem: shownProblem,
  })
  const options = {
    title: brandingWords[page.language].titleOf(application.name),
    script: '/assets/branding.js',
    hasFrames: true,
    ...(optIn.kept && { head: html`<script src="${copyScript}" defer></script>\n` }),
    ...getProblemStatus(shownProblem ?? optIn.problem),
  }
  return renderFramed(page, options, content)
}

const textField = (description: string, maxLength = 4_000) => optional(string(description, { maxLength }))

/** Previews what a form says, or keeps it: the button that was pressed decides. */
const createUpdateOperation = (shared: ApplicationContributions): Operation =>
  declareOperation({
    id: 'console_branding_update_page_v1',
    method: 'POST',
    path: `${path}/:id`,
    ...memberPageOptions,
    body: object({
      ...Object.fromEntries(fieldNames.map((name) => [name, textField(`The field \`${name}\`, or nothing.`)])),
      act: textField(
        '`save` keeps the looks, the name of a finished look fills the form with it; anything else shows them.',
        20,
      ),
      mark: textField('What the looks were like when the form was opened.', 100),
    }),
    document: { tag: 'Pages', summary: 'Preview or change the looks of an application' },
  }).withOutboundHandler(async (input) => {
    const { id } = input.params
    const page = openPage(input, getAddress(id), 'application:update')
    if (isAnswer(page)) return page
    const { act, mark = '' } = input.body
    const written = readForm(input.body)
    const start = lookNames.find((name) => name === act)
    const form = start === undefined ? written : startWith(written, start)
    if (act !== 'save') return renderOne(page, id, { written: { form, mark } })
    try {
      const patch = createThemePatch((await readShown(page, id)).theme, form)
      const precondition = createMarkCheck(mark, pickTheme)
      return await input.finish(async (work) => {
        await changeApplication(work, id, { patch, precondition }, shared)
        return answerRedirect(`${getAddress(id)}?saved=yes`, undefined, 303)
      })
    } catch (cause) {
      return renderOne(page, id, { problem: getRefusal(cause), written: { form, mark } })
    }
  })

/** Creates the pages of the looks of applications. */
export const createBrandingPages = (shared: ApplicationContributions): Operation[] => [
  listOperation,
  readOperation,
  createUpdateOperation(shared),
]
