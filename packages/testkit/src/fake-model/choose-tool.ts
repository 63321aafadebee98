/*
 * A step of a script as a call of a tool that the agent offers: each agent names its shell tool and its fields in its own way.
 */
import type { ModelStep } from './script.ts';
import type { JsonObject, ModelRequest, OfferedTool } from './wires/wire.ts';
import { listOf, objectOf, textOf } from './wires/wire.ts';

type CallStep = Extract<ModelStep, { readonly kind: 'shell' | 'tool' }>;

/* In the order in which they are preferred where an agent offers several. */
const shellTools = ['bash', 'Bash', 'run_shell_command', 'exec_command', 'shell_command', 'shell'];
const commandFields = ['command', 'cmd'];

export function findShellTool(tools: readonly OfferedTool[]): OfferedTool | undefined {
  return shellTools
    .map((name) => tools.find((tool) => tool.name === name))
    .find((tool) => tool !== undefined);
}

/** Undefined when the agent offers no such tool. */
export function chooseTool(
  step: CallStep,
  { tools }: Pick<ModelRequest, 'tools'>,
): { readonly name: string; readonly input: JsonObject } | undefined {
  if (step.kind === 'tool') {
    const found =
      tools.find(({ name }) => name === step.name) ??
      tools.find(({ name }) => name.endsWith(step.name));
    return found === undefined ? undefined : { name: found.name, input: step.input };
  }
  const tool = findShellTool(tools);
  return tool === undefined ? undefined : { name: tool.name, input: shellInput(tool, step) };
}

function shellInput(
  tool: OfferedTool,
  { command, asks }: CallStep & { readonly kind: 'shell' },
): JsonObject {
  const properties = objectOf(tool.parameters['properties']);
  const field = commandFields.find((name) => properties[name] !== undefined) ?? 'command';
  const isList = textOf(objectOf(properties[field])['type']) === 'array';
  const input: Record<string, unknown> = { [field]: isList ? ['sh', '-c', command] : command };
  if (asks === true && properties['sandbox_permissions'] !== undefined) {
    Object.assign(input, { sandbox_permissions: 'require_escalated', justification: 'a test' });
  }
  // Fields that it insists on besides, such as a description.
  for (const name of requiredOf(tool)) input[name] ??= fillerOf(objectOf(properties[name]));
  return input;
}

function requiredOf(tool: OfferedTool): readonly string[] {
  const { required } = tool.parameters;
  return Array.isArray(required) ? required.map(textOf) : [];
}

function fillerOf(schema: JsonObject): unknown {
  const [choice] = Array.isArray(schema['enum']) ? (schema['enum'] as unknown[]) : [];
  if (choice !== undefined) return choice;
  const type = textOf(schema['type'] ?? listOf(schema['anyOf'])[0]?.['type']).toLowerCase();
  if (type === 'boolean') return false;
  if (type === 'number' || type === 'integer') return 10_000;
  return type === 'array' ? [] : 'a command of the test';
}
