"""Given names of women: behind *Mrs.* another given name is the husband's. Data only."""

from __future__ import annotations

WOMEN = frozenset(
    """
    Abigail Ada Adele Agnes Alexandra Alice Alicia Alison Amanda Amelia Amy Angela Anita Ann Anna Anne Annie Augusta
    Barbara Beatrice Bertha Beth Betty Brenda Camilla Carol Caroline Catherine Cecilia Charlotte Christina Christine
    Clara Claire Constance Cora Corra Cornelia Cynthia Daisy Deborah Diana Dora Doris Dorothy Edith Eileen Elaine
    Eleanor Elena Eliza Elizabeth Ella Ellen Elsie Emily Emma Esther Ethel Eva Eve Evelyn Fanny Fiona Flora Florence
    Frances Gertrude Gladys Gloria Grace Hannah Harriet Hazel Heather Helen Henrietta Hilda Ida Irene Isabel Isabella
    Jacqueline Jane Janet Jean Jennifer Jenny Jessica Jessie Jill Joan Joanna Josephine Joyce Judith Julia Julie Karen
    Kate Katharine Katherine Kathleen Kathryn Laura Leila Lillian Lily Linda Lisa Lizzie Lois Louisa Louise Lucy Lydia
    Mabel Maggie Margaret Maria Marian Marie Marilyn Marion Marjorie Martha Mary Matilda Maud May Melanie Melissa
    Mildred Millicent Minnie Miriam Molly Monica Myra Nancy Naomi Natalie Nellie Nora Olive Olivia Pamela Patricia
    Paula Pauline Penelope Phyllis Rachel Rebecca Rhoda Rosa Rosalind Rose Rosemary Ruth Sally Samantha Sandra Sara
    Sarah Sharon Sheila Shirley Sonia Sophia Sophie Stella Stephanie Susan Susanna Suzanne Sylvia Theresa Ursula
    Valerie Vera Veronica Victoria Violet Virginia Vivian Wanda Wendy Winifred Yvonne
    """.split()
)
