import type { Catalogue } from '../../tools/catalogue/catalogue.ts'
import { listPresentToolsets } from '../../tools/catalogue/visible-tools.ts'
import { toolsetTopics } from '../../tools/toolsets.ts'
import type { CatalogueView } from '../access/catalogue-view.ts'

const searchInstructions =
  'Find what can be done with find_operation, see its arguments with describe_operation, and read or change with '
  + 'call_operation. Operations that a text names are called the same way.'

/** Where a model begins that knows nothing yet; resources are read in each view. */
const createGuideHint = ({ resources }: Catalogue): string[] => {
  const guide = resources.statics.find(({ name, uri }) => name === 'guide' && resources.isOwn(uri))
  return guide ? [`Read the resource ${guide.uri} first: it says which call comes after which.`] : []
}

/**
 * Creates the instructions that both eras give to a client's model: those of the document, what the arguments mean that
 * many tools have, and the toolsets that have a tool.
 */
export function createInstructions(catalogue: Catalogue, { search }: Pick<CatalogueView, 'search'>): string {
  if (search) return [searchInstructions, ...createGuideHint(catalogue)].join(' ')
  const tools = [...catalogue.tools.values()]
  const toolsets = listPresentToolsets(catalogue).map((name) => `${name} (${toolsetTopics[name]})`)
  const hidden = 'What this list lacks may be in a toolset that the address of this server leaves out (?toolsets=): '
  return [
    catalogue.server.instructions ?? 'Lists and single things are resources. Tools change things.',
    ...createGuideHint(catalogue),
    'The same call of a tool within ten minutes gets the first answer; again: true makes another one.',
    ...(tools.some(({ plan }) => plan.dryRunArgument !== null)
      ? ['dryRun: true only answers what a call would do.']
      : []),
    ...(tools.some(({ plan }) => plan.takesConfirm)
      ? [
          'Where a tool answers preview and confirm, show the user the preview; once they agree, call again with confirm.',
        ]
      : []),
    ...(toolsets.length === 0 ? [] : [`${hidden}${toolsets.join(', ')}.`]),
  ].join(' ')
}
