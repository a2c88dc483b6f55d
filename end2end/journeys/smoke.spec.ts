// The shortest journey: the binary starts on a fresh repository and its first page is a page.

import { expect, test } from "../support/test.ts";

test("a fresh repository has a board page that anybody can use", async ({ page, project, accessible }) => {
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  const answer = await page.goto(project.url);
  expect(answer?.status()).toBe(200);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await accessible(page);
  expect(errors).toEqual([]);
});
