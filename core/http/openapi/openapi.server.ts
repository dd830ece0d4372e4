/** What the bridge says of this API as a whole: the member `x-mcp-server` of the document. */
export interface McpServer {
  name: string
  /** What assistants read before any list. */
  instructions: string
  /** The prompts of the bridge that fit this API. */
  prompts: string[]
  /** The guide for assistants, in Markdown. */
  guide: string
}

export const mcpServerDescription: Omit<McpServer, 'guide'> = {
  name: 'tessera',
  instructions:
    'Everything that can be read is a resource: lists, and single things by a template. Tools change things. '
    + 'A tool that starts a job links the resource that shows its state.',
  prompts: ['prepare_demo_environment'],
}
