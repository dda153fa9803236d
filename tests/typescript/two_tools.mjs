// Holds a conversation with two tools, by the SDK's runner and by hand, then reads a streamed
// reply, and prints all three as JSON.
import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";

const client = new Anthropic(); // ANTHROPIC_BASE_URL and ANTHROPIC_API_KEY say where
const model = "claude-haiku-4-5";
const question = { role: "user", content: "What is (2 + 3) times 4?" };
const twoNumbers = {
  type: "object",
  properties: { a: { type: "number" }, b: { type: "number" } },
  required: ["a", "b"],
};
const called = [];

const add = betaTool({
  name: "add",
  description: "Add two numbers.",
  inputSchema: twoNumbers,
  run: ({ a, b }) => {
    called.push("add");
    return String(a + b);
  },
});
const multiply = betaTool({
  name: "multiply",
  description: "Multiply two numbers.",
  inputSchema: twoNumbers,
  run: ({ a, b }) => {
    called.push("multiply");
    return String(a * b);
  },
});

const answer = await client.beta.messages.toolRunner({
  model,
  max_tokens: 500,
  tools: [add, multiply],
  messages: [question],
});

async function byHand() {
  const run = { add: ({ a, b }) => String(a + b), multiply: ({ a, b }) => String(a * b) };
  const tools = Object.keys(run).map((name) => ({ name, input_schema: twoNumbers }));
  const messages = [question];
  for (;;) {
    const reply = await client.messages.create({ model, max_tokens: 500, tools, messages });
    messages.push({ role: "assistant", content: reply.content });
    if (reply.stop_reason !== "tool_use") return messages;
    const results = reply.content
      .filter((block) => block.type === "tool_use")
      .map(({ id, name, input }) => ({
        type: "tool_result",
        tool_use_id: id,
        content: run[name](input),
      }));
    messages.push({ role: "user", content: results });
  }
}

const transcript = await byHand();

const pieces = [];
const stream = client.messages
  .stream({ model, max_tokens: 500, messages: [{ role: "user", content: "Say hello." }] })
  .on("text", (text) => pieces.push(text));
const streamed = await stream.finalMessage();

console.log(
  JSON.stringify({
    called,
    answer: answer.content[0].text,
    transcript,
    streamed: streamed.content,
    pieces,
  }),
);
