/** Names the work of a loop, so that its calls to nodes have their share of the call budget. */
import type { PollLoop } from '../indexing/loops/poll-loop.ts';
import type { ChainWork, WorkScope } from '../ports/runtime.ts';

export function nameLoop(loop: PollLoop, work: ChainWork, workScope: WorkScope): PollLoop {
  return { ...loop, start: () => workScope.run(work, loop.start) };
}
