import { toolsetNames, toolsetTopics } from '../../tools/toolsets.ts'

/** The instructions that both eras give to a client's model. */
export const instructions =
  'Everything that can be read is a resource: lists, and single things by a template. Tools change things. '
  + 'A tool that starts a job links the resource that shows its state. '
  + 'What this list lacks may be in a toolset that the address of this server leaves out (?toolsets=): '
  + `${toolsetNames.map((name) => `${name} (${toolsetTopics[name]})`).join(', ')}.`
