/*
 * A side door of agents: what agents of this machine ask, listed and answered while no gateway is alive. It needs the control database and
 * the supervisor, and none of what starts or drives an agent.
 */
export { answerKindOf, answerKinds, optionsOf } from '../decide/answer-ask.ts';
export type { AnswerKind, AnswerRefusal } from '../decide/answer-ask.ts';
export { createAsksHere } from './asks-here.ts';
export type { Answered, AsksHere, AsksHereDeps, FoundAsk } from './asks-here.ts';
