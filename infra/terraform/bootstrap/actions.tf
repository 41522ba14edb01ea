# What Terraform asks of AWS for each type of resource in the main configuration: to see it (plan), and to change it
# (apply). Names: the service authorization reference, https://docs.aws.amazon.com/service-authorization/latest/reference/
locals {
  actions = {
    aws_s3_bucket = {
      read = [
        "s3:GetAccelerateConfiguration", "s3:GetBucketAcl", "s3:GetBucketCORS", "s3:GetBucketLocation",
        "s3:GetBucketLogging", "s3:GetBucketObjectLockConfiguration", "s3:GetBucketRequestPayment",
        "s3:GetBucketTagging", "s3:GetBucketWebsite", "s3:GetReplicationConfiguration", "s3:ListBucket",
        "s3:ListTagsForResource",
      ]
      write = [
        "s3:CreateBucket", "s3:DeleteBucket", "s3:PutBucketTagging", "s3:TagResource", "s3:UntagResource",
      ]
    }
    aws_s3_bucket_ownership_controls = {
      read  = ["s3:GetBucketOwnershipControls"]
      write = ["s3:PutBucketOwnershipControls"]
    }
    aws_s3_bucket_public_access_block = {
      read  = ["s3:GetBucketPublicAccessBlock"]
      write = ["s3:PutBucketPublicAccessBlock"]
    }
    aws_s3_bucket_versioning = {
      read  = ["s3:GetBucketVersioning"]
      write = ["s3:PutBucketVersioning"]
    }
    aws_s3_bucket_server_side_encryption_configuration = {
      read  = ["s3:GetEncryptionConfiguration"]
      write = ["s3:PutEncryptionConfiguration"]
    }
    aws_s3_bucket_policy = {
      read  = ["s3:GetBucketPolicy"]
      write = ["s3:DeleteBucketPolicy", "s3:PutBucketPolicy"]
    }
    aws_s3_bucket_lifecycle_configuration = {
      read  = ["s3:GetLifecycleConfiguration"]
      write = ["s3:PutLifecycleConfiguration"]
    }
    aws_kms_key = {
      read = [
        "kms:DescribeKey", "kms:GetKeyPolicy", "kms:GetKeyRotationStatus", "kms:ListKeyPolicies", "kms:ListResourceTags",
      ]
      write = [
        "kms:CreateKey", "kms:EnableKeyRotation", "kms:PutKeyPolicy", "kms:ScheduleKeyDeletion", "kms:TagResource",
        "kms:UntagResource", "kms:UpdateKeyDescription",
      ]
    }
    aws_kms_alias = {
      read  = ["kms:ListAliases"]
      write = ["kms:CreateAlias", "kms:DeleteAlias", "kms:UpdateAlias"]
    }
    aws_iam_policy = {
      read = ["iam:GetPolicy", "iam:GetPolicyVersion", "iam:ListPolicyTags", "iam:ListPolicyVersions"]
      write = [
        "iam:CreatePolicy", "iam:CreatePolicyVersion", "iam:DeletePolicy", "iam:DeletePolicyVersion", "iam:TagPolicy",
        "iam:UntagPolicy",
      ]
    }
    aws_iam_role = {
      read = [
        "iam:GetRole", "iam:ListAttachedRolePolicies", "iam:ListInstanceProfilesForRole", "iam:ListRolePolicies",
        "iam:ListRoleTags",
      ]
      write = [
        "iam:CreateRole", "iam:DeleteRole", "iam:PassRole", "iam:TagRole", "iam:UntagRole",
        "iam:UpdateAssumeRolePolicy", "iam:UpdateRole",
      ]
    }
    aws_iam_role_policy_attachment = {
      read  = ["iam:ListAttachedRolePolicies"]
      write = ["iam:AttachRolePolicy", "iam:DetachRolePolicy"]
    }
    aws_iam_user = {
      read  = ["iam:GetUser", "iam:ListGroupsForUser", "iam:ListUserTags"]
      write = ["iam:CreateUser", "iam:DeleteUser", "iam:TagUser", "iam:UntagUser"]
    }
    aws_iam_user_policy_attachment = {
      read  = ["iam:ListAttachedUserPolicies"]
      write = ["iam:AttachUserPolicy", "iam:DetachUserPolicy"]
    }
    aws_glue_catalog_database = {
      read  = ["glue:GetDatabase", "glue:GetTags"]
      write = ["glue:CreateDatabase", "glue:DeleteDatabase", "glue:TagResource", "glue:UntagResource", "glue:UpdateDatabase"]
    }
    aws_glue_catalog_table = {
      read  = ["glue:GetPartitionIndexes", "glue:GetTable"]
      write = ["glue:CreateTable", "glue:DeleteTable", "glue:UpdateTable"]
    }
    aws_glue_classifier = {
      read  = ["glue:GetClassifier"]
      write = ["glue:CreateClassifier", "glue:DeleteClassifier", "glue:UpdateClassifier"]
    }
    aws_glue_crawler = {
      read  = ["glue:GetCrawler", "glue:GetTags"]
      write = ["glue:CreateCrawler", "glue:DeleteCrawler", "glue:TagResource", "glue:UntagResource", "glue:UpdateCrawler"]
    }
    aws_athena_workgroup = {
      read  = ["athena:GetWorkGroup", "athena:ListTagsForResource"]
      write = ["athena:CreateWorkGroup", "athena:DeleteWorkGroup", "athena:TagResource", "athena:UntagResource", "athena:UpdateWorkGroup"]
    }
    aws_athena_named_query = {
      read  = ["athena:GetNamedQuery"]
      write = ["athena:CreateNamedQuery", "athena:DeleteNamedQuery"]
    }
    aws_cloudwatch_metric_alarm = {
      read  = ["cloudwatch:DescribeAlarms", "cloudwatch:ListTagsForResource"]
      write = ["cloudwatch:DeleteAlarms", "cloudwatch:PutMetricAlarm", "cloudwatch:TagResource", "cloudwatch:UntagResource"]
    }
  }

  read_actions  = sort(distinct(flatten([for type in local.actions : type.read])))
  write_actions = sort(distinct(flatten([for type in local.actions : type.write])))
}
